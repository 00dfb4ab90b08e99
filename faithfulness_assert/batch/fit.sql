-- Fits the incoming rows to those of the run, of which :last is the last one that stays: which begun
-- ones follow their texts, and which lose a grade.

-- Those that were begun (have a result, or an ask that was sent) and are not as they were.
CREATE TEMP TABLE old AS SELECT * FROM rows
WHERE (row IN (SELECT row FROM results) OR row IN (SELECT row FROM asks))
AND (row > :last OR row IN (SELECT row FROM incoming));

-- The same rows: first those with the same id and texts, then the others of equal texts, in order.
CREATE TEMP TABLE pairs (old INTEGER PRIMARY KEY, new INTEGER, renamed INTEGER);
INSERT OR IGNORE INTO pairs SELECT old.row, n.row, FALSE
FROM old JOIN incoming n USING (input, case_id);
INSERT INTO pairs SELECT o.row, n.row, o.case_id != n.case_id
FROM (SELECT *, row_number() OVER (PARTITION BY input ORDER BY row) AS place FROM old
WHERE row NOT IN (SELECT old FROM pairs)) o
JOIN (SELECT *, row_number() OVER (PARTITION BY input ORDER BY row) AS place FROM incoming
WHERE row NOT IN (SELECT new FROM pairs)) n USING (input, place);

-- What loses a grade, with the fields that it has now, if its id is still there.
CREATE TEMP TABLE lost AS SELECT old.row, old.case_id, old.fields, n.fields AS now FROM old
LEFT JOIN incoming n ON n.case_id = old.case_id AND n.row NOT IN (SELECT new FROM pairs)
WHERE old.row NOT IN (SELECT old FROM pairs)
AND old.row NOT IN (SELECT row FROM results WHERE error IS NOT NULL)
