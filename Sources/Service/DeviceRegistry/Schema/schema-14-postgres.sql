-- A line's second writing changes no index unless the push failed: the index of failures was one on the state, so each
-- accepted push wrote every index again.

-- The state of a line that ended without being accepted. A server of an earlier version leaves it NULL until it is replaced;
-- such lines are found by their message, device or reason.
ALTER TABLE deliveries ADD COLUMN failed TEXT;

UPDATE deliveries SET failed = state WHERE state IN ('rejected', 'expired', 'cancelled');

DROP INDEX deliveries_failed;

CREATE INDEX deliveries_failed ON deliveries (failed, id) WHERE failed IS NOT NULL;

ALTER TABLE journal_parts DROP COLUMN exported_at;
