-- Version 1. Bodies are JSON as hub-core writes it; what is looked up or ordered by stands in
-- columns of its own. `seq` is the order of adding.
CREATE TABLE meta (
    name  TEXT PRIMARY KEY,
    value INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
INSERT INTO meta (name, value) VALUES
    ('epoch', 0), ('mark', 0), ('restored', 0), ('marker_inode', 0), ('marker_born', 0),
    ('sources_version', 0), ('rules_version', 0), ('journal_bytes', 0);

CREATE TABLE identity (
    id TEXT NOT NULL
) STRICT;
INSERT INTO identity (id) VALUES (lower(hex(randomblob(16))));

CREATE TABLE sources (
    id        TEXT PRIMARY KEY,
    name      TEXT NOT NULL UNIQUE,
    namespace TEXT NOT NULL UNIQUE,
    body      TEXT NOT NULL
) STRICT, WITHOUT ROWID;

-- A listing without its tools.
CREATE TABLE listings (
    source TEXT PRIMARY KEY REFERENCES sources (id) ON DELETE CASCADE,
    at     INTEGER NOT NULL,
    body   TEXT NOT NULL
) STRICT, WITHOUT ROWID;

-- One row per tool, so that one definition is read without the others.
CREATE TABLE tools (
    source   TEXT NOT NULL REFERENCES sources (id) ON DELETE CASCADE,
    position INTEGER NOT NULL,
    raw      TEXT NOT NULL,
    body     BLOB NOT NULL,
    PRIMARY KEY (source, position)
) STRICT;
CREATE INDEX tools_by_raw ON tools (source, raw, position);

CREATE TABLE tool_names (
    source   TEXT NOT NULL REFERENCES sources (id) ON DELETE CASCADE,
    position INTEGER NOT NULL,
    raw      TEXT NOT NULL,
    name     TEXT NOT NULL,
    PRIMARY KEY (source, position),
    UNIQUE (source, raw),
    UNIQUE (source, name)
) STRICT, WITHOUT ROWID;

CREATE TABLE connections (
    source     TEXT NOT NULL REFERENCES sources (id) ON DELETE CASCADE,
    name       TEXT NOT NULL,
    is_default INTEGER NOT NULL,
    body       TEXT NOT NULL,
    PRIMARY KEY (source, name)
) STRICT, WITHOUT ROWID;

CREATE TABLE rules (
    seq  INTEGER PRIMARY KEY,
    id   TEXT NOT NULL UNIQUE,
    body TEXT NOT NULL
) STRICT;

CREATE TABLE rule_changes (
    version INTEGER PRIMARY KEY,
    body    TEXT NOT NULL
) STRICT;

CREATE TABLE keys (
    seq     INTEGER PRIMARY KEY,
    id      TEXT NOT NULL UNIQUE,
    token   BLOB NOT NULL UNIQUE,
    body    TEXT NOT NULL
) STRICT;

CREATE TABLE hub_keys (
    name  TEXT PRIMARY KEY,
    value BLOB NOT NULL
) STRICT, WITHOUT ROWID;

-- What changes with every step stays small; what is large is written once or rarely.
CREATE TABLE runs (
    seq           INTEGER PRIMARY KEY,
    id            TEXT NOT NULL UNIQUE,
    principal     TEXT NOT NULL,
    key           TEXT NOT NULL,
    profile       TEXT NOT NULL,
    client        TEXT NOT NULL,
    code_digest   BLOB NOT NULL,
    status        TEXT NOT NULL,
    created_at    INTEGER NOT NULL,
    changed_at    INTEGER NOT NULL,
    effects       INTEGER NOT NULL,
    events        INTEGER NOT NULL DEFAULT 0,
    journal_bytes INTEGER NOT NULL DEFAULT 0,
    pins          TEXT
) STRICT;
CREATE TABLE run_code (
    run  INTEGER PRIMARY KEY REFERENCES runs (seq) ON DELETE CASCADE,
    code TEXT NOT NULL
) STRICT;
CREATE TABLE run_envelopes (
    run      INTEGER PRIMARY KEY REFERENCES runs (seq) ON DELETE CASCADE,
    envelope TEXT,
    line     TEXT
) STRICT;
CREATE INDEX runs_by_key ON runs (key, seq);
CREATE INDEX runs_to_join ON runs (key, code_digest, seq);
CREATE INDEX runs_by_status ON runs (status, changed_at);

CREATE TABLE events (
    run  INTEGER NOT NULL REFERENCES runs (seq) ON DELETE CASCADE,
    n    INTEGER NOT NULL,
    body BLOB NOT NULL,
    PRIMARY KEY (run, n)
) STRICT, WITHOUT ROWID;

CREATE TABLE pendings (
    seq      INTEGER PRIMARY KEY,
    id       TEXT NOT NULL UNIQUE,
    run      INTEGER NOT NULL REFERENCES runs (seq) ON DELETE CASCADE,
    body     TEXT NOT NULL,
    decision TEXT
) STRICT;
CREATE INDEX pendings_by_run ON pendings (run, seq);
CREATE INDEX pendings_open ON pendings (seq) WHERE decision IS NULL;

CREATE TABLE blobs (
    digest BLOB PRIMARY KEY,
    body   BLOB NOT NULL
) STRICT;

-- Which blobs a run needs; a blob may come later than the run that names it.
CREATE TABLE run_blobs (
    run    INTEGER NOT NULL REFERENCES runs (seq) ON DELETE CASCADE,
    digest BLOB NOT NULL,
    PRIMARY KEY (run, digest)
) STRICT, WITHOUT ROWID;
CREATE INDEX run_blobs_by_digest ON run_blobs (digest);
