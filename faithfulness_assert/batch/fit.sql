-- Fits the incoming rows to those of the run, of which :last is the last one that stays: which begun
-- ones follow their texts, which lose a grade, and which others are gone.

-- Those that are not as they were; and of them those that have a result, or an ask that was sent.
CREATE TEMP TABLE other AS SELECT row, case_id, input FROM rows
WHERE row > :last OR row IN (SELECT row FROM incoming);
CREATE TEMP TABLE old AS SELECT * FROM rows WHERE row IN (SELECT row FROM other)
AND (row IN (SELECT row FROM results) OR row IN (SELECT row FROM asks));

-- The same rows: first those with the same id and texts, then the others of equal texts, in order.
CREATE TEMP TABLE pairs (old INTEGER PRIMARY KEY, new INTEGER, moved INTEGER);
INSERT OR IGNORE INTO pairs SELECT old.row, n.row, old.row != n.row
FROM old JOIN incoming n USING (input, case_id);
INSERT INTO pairs SELECT o.row, n.row, o.row != n.row OR o.case_id != n.case_id
FROM (SELECT *, row_number() OVER (PARTITION BY input ORDER BY row) AS place FROM old
WHERE row NOT IN (SELECT old FROM pairs)) o
JOIN (SELECT *, row_number() OVER (PARTITION BY input ORDER BY row) AS place FROM incoming
WHERE row NOT IN (SELECT new FROM pairs)) n USING (input, place);

-- What loses a grade, with the fields that it has now, if its id is still there.
CREATE TEMP TABLE lost AS SELECT old.row, old.case_id, old.fields, n.fields AS now FROM old
LEFT JOIN incoming n ON n.case_id = old.case_id AND n.row NOT IN (SELECT new FROM pairs)
WHERE old.row NOT IN (SELECT old FROM pairs)
AND old.row NOT IN (SELECT row FROM results WHERE error IS NOT NULL);

-- The others follow their texts, too. What is gone has neither its texts nor its id there.
INSERT INTO pairs SELECT o.row, n.row, FALSE
FROM (SELECT *, row_number() OVER (PARTITION BY input ORDER BY row) AS place FROM other
WHERE row NOT IN (SELECT row FROM old)) o
JOIN (SELECT *, row_number() OVER (PARTITION BY input ORDER BY row) AS place FROM incoming
WHERE row NOT IN (SELECT new FROM pairs)) n USING (input, place);
CREATE TEMP TABLE gone AS SELECT row FROM other
WHERE row NOT IN (SELECT old FROM pairs) AND row NOT IN (SELECT row FROM lost)
AND case_id NOT IN (SELECT case_id FROM incoming WHERE row NOT IN (SELECT new FROM pairs))
