-- Puts the incoming rows in the place of those of the run: what fit.sql found moves with its texts.
-- Numbers are negative at first, or one would take another's.
UPDATE results SET row = -(SELECT new FROM pairs WHERE old = row)
WHERE row IN (SELECT old FROM pairs WHERE old != new);
UPDATE results SET row = -row WHERE row < 0;
UPDATE asks SET row = -(SELECT new FROM pairs WHERE old = row)
WHERE row IN (SELECT old FROM pairs WHERE old != new);
UPDATE asks SET row = -row WHERE row < 0;
DELETE FROM rows WHERE row > :last;
INSERT OR REPLACE INTO rows SELECT * FROM incoming
