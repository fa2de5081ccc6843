-- Messages and deliveries by lane and by the message's day, in partitions that are dropped as a whole.
--
-- The identifier of a message says in which one it is: 1,000,000,000 times twice the day since 1970 plus the lane, plus a
-- number. Its deliveries are in the partition of the same range. What was there before stays in two partitions of its own.

ALTER TABLE deliveries DROP COLUMN unused_owner, DROP COLUMN unused_address, ALTER COLUMN id DROP IDENTITY;

CREATE SEQUENCE deliveries_number;

SELECT setval('deliveries_number', (SELECT COALESCE(max(id), 0) + 1 FROM deliveries), false);

ALTER TABLE deliveries RENAME TO deliveries_before;

ALTER INDEX deliveries_pkey RENAME TO deliveries_before_pkey;

ALTER INDEX deliveries_token RENAME TO deliveries_before_token;

ALTER INDEX deliveries_message RENAME TO deliveries_before_message;

ALTER INDEX deliveries_reason RENAME TO deliveries_before_reason;

CREATE TABLE deliveries (LIKE deliveries_before INCLUDING DEFAULTS) PARTITION BY RANGE (message_id);

ALTER TABLE deliveries ALTER COLUMN id SET DEFAULT nextval('deliveries_number');

CREATE UNIQUE INDEX deliveries_token ON deliveries (token, message_id);

CREATE INDEX deliveries_message ON deliveries (message_id, id);

CREATE INDEX deliveries_reason ON deliveries (reason, id) WHERE reason IS NOT NULL;

ALTER TABLE deliveries ATTACH PARTITION deliveries_before FOR VALUES FROM (MINVALUE) TO (1000000000000);

ALTER TABLE messages ALTER COLUMN id DROP IDENTITY;

CREATE SEQUENCE messages_number;

SELECT setval('messages_number', (SELECT COALESCE(max(id), 0) + 1 FROM messages), false);

ALTER TABLE messages RENAME TO messages_before;

ALTER INDEX messages_pkey RENAME TO messages_before_pkey;

ALTER INDEX messages_open RENAME TO messages_before_open;

-- Later ones are dropped by their parts.
ALTER INDEX messages_finished RENAME TO messages_before_finished;

CREATE TABLE messages (LIKE messages_before INCLUDING DEFAULTS) PARTITION BY RANGE (id);

ALTER TABLE messages ADD CONSTRAINT messages_pkey PRIMARY KEY (id);

CREATE INDEX messages_open ON messages (id) WHERE finished_at IS NULL;

ALTER TABLE messages ATTACH PARTITION messages_before FOR VALUES FROM (MINVALUE) TO (1000000000000);

-- The partitions of a day and a lane.
CREATE TABLE journal_parts (
  -- Twice the day since 1970, plus the lane.
  part BIGINT PRIMARY KEY,
  exported_at BIGINT
);

ALTER TABLE queue SET (fillfactor = 70, autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_threshold = 2000);

ALTER TABLE outcome_counts SET (fillfactor = 50);
