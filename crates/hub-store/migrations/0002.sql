-- Version 2. How many runs of a principal have not ended is asked whenever a run is added.
CREATE INDEX runs_open ON runs (principal) WHERE status NOT IN ('completed', 'failed', 'cancelled');
