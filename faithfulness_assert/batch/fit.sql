-- Fits the incoming rows to those of the run, of which :last is the last one that stays: which row
-- has the texts of which, what loses a grade, and what else is gone.
CREATE TEMP TABLE other AS SELECT row, case_id, input, fields,
row IN (SELECT row FROM results UNION ALL SELECT row FROM asks) AS begun FROM rows
WHERE row > :last OR row IN (SELECT row FROM incoming);

-- Of equal texts, rows that have a result, or an ask that was sent, go first, and of these those
-- whose id is there on both sides.
CREATE TEMP TABLE pairs (old INTEGER PRIMARY KEY, new INTEGER, moved INTEGER);
INSERT INTO pairs SELECT old, n.row, begun AND (old != n.row OR o.case_id != n.case_id) FROM
(SELECT row AS old, case_id, input, begun, row_number() OVER (PARTITION BY input ORDER BY NOT begun,
(input, case_id) NOT IN (SELECT input, case_id FROM incoming), case_id, row) AS place FROM other) o
JOIN (SELECT row, case_id, input, row_number() OVER (PARTITION BY input ORDER BY
(input, case_id) NOT IN (SELECT input, case_id FROM other WHERE begun), case_id, row) AS place
FROM incoming) n USING (input, place);
CREATE TEMP TABLE fresh AS SELECT * FROM incoming WHERE row NOT IN (SELECT new FROM pairs);

-- What loses a grade, with the fields that it has now, if its id is still there.
CREATE TEMP TABLE lost AS SELECT other.row, other.case_id, other.fields, fresh.fields AS now
FROM other LEFT JOIN fresh USING (case_id) WHERE begun AND other.row NOT IN (SELECT old FROM pairs)
AND other.row NOT IN (SELECT row FROM results WHERE error IS NOT NULL);
CREATE TEMP TABLE gone AS SELECT row FROM other WHERE row NOT IN (SELECT old FROM pairs)
AND row NOT IN (SELECT row FROM lost) AND case_id NOT IN (SELECT case_id FROM fresh)
