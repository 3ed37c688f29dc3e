-- Version 3. What every run pays for: fewer indices. Joining asks for open runs of an owner with
-- that code, and the newest run of a key; a sweep of blobs looks at all pins anyway.
DROP INDEX runs_to_join;
DROP INDEX runs_open;
CREATE INDEX runs_open ON runs (principal, key, profile, code_digest)
    WHERE status NOT IN ('completed', 'failed', 'cancelled');
DROP INDEX run_blobs_by_digest;
