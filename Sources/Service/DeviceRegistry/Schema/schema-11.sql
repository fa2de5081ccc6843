-- The days of the journal that were written to files, which are outside of the registry and name devices by keyed hashes.

CREATE TABLE journal_exports (
  -- Twice the day since 1970, plus the lane.
  part BIGINT PRIMARY KEY,
  -- The file's name; empty for a day without deliveries.
  file TEXT NOT NULL,
  lines BIGINT NOT NULL,
  -- When the process that writes it wrote last.
  seen_at BIGINT NOT NULL,
  -- NULL while it is being written.
  finished_at BIGINT
);
