-- The open deliveries of a message in their order, so that the oldest is found in one step. PostgreSQL would look for the
-- smallest identifier by the primary key, past all that have ended.

DROP INDEX deliveries_open;

CREATE INDEX deliveries_open ON deliveries (message_id, created_at) WHERE finished_at IS NULL;
