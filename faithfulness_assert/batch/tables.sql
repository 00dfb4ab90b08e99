-- What a database has, and nothing else. docs/many-answers.md says what is in it.
CREATE TABLE run (name TEXT PRIMARY KEY, value TEXT);
CREATE TABLE rows (row INTEGER PRIMARY KEY, case_id TEXT, input TEXT, fields TEXT, columns TEXT,
problem TEXT);
CREATE INDEX rows_by_id ON rows (case_id);
CREATE TABLE results (row INTEGER PRIMARY KEY, at REAL, status TEXT, pass INTEGER, score REAL, error TEXT, message TEXT,
retryable INTEGER, estimated INTEGER, notes TEXT, prompt INTEGER,
completion INTEGER, cached INTEGER, reasoning INTEGER, requests INTEGER, cost REAL, result TEXT);
CREATE INDEX results_in_brief ON results (status, pass, score, error, message, estimated, notes,
prompt, completion, cached, reasoning, requests, cost, retryable);
CREATE TABLE earlier (row INTEGER, at REAL, status TEXT, pass INTEGER, score REAL, error TEXT, message TEXT,
retryable INTEGER, estimated INTEGER, notes TEXT, prompt INTEGER,
completion INTEGER, cached INTEGER, reasoning INTEGER, requests INTEGER, cost REAL, result TEXT);
CREATE INDEX earlier_errors ON earlier (row, error);
CREATE TABLE events (at REAL, event TEXT);
CREATE TABLE batches (batch INTEGER PRIMARY KEY, at TEXT, answered INTEGER);
CREATE TABLE asks (id TEXT PRIMARY KEY, batch INTEGER, row INTEGER, key TEXT, steps TEXT, said TEXT);
CREATE INDEX asks_of_rows ON asks (row)
