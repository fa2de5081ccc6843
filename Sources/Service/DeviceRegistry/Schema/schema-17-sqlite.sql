-- A token is looked for in each day of the journal, as in PostgreSQL's partitions, and no longer in one index of all days: a line
-- that is stored or removed touches pages of its own day, which are few.

-- Days since 1970, of the message, so that a campaign over midnight has one. 0 in lines that an earlier version finished.
ALTER TABLE deliveries ADD COLUMN day BIGINT NOT NULL DEFAULT 0;

UPDATE deliveries SET day = (SELECT created_at / 86400000 FROM messages WHERE id = message_id)
WHERE message_id IN (SELECT id FROM messages WHERE finished_at IS NULL);

DROP INDEX deliveries_token;

-- Of one message a token gets one delivery.
CREATE UNIQUE INDEX deliveries_token ON deliveries (day, token, message_id);

-- Each is found by a step in the index.
CREATE VIEW journal_days (day) AS
WITH RECURSIVE found (day) AS (
  SELECT min(day) FROM deliveries
  UNION ALL
  SELECT (SELECT min(day) FROM deliveries WHERE day > found.day) FROM found WHERE found.day IS NOT NULL
)
SELECT day FROM found WHERE day IS NOT NULL;
