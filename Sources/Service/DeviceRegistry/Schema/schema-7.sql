-- What waits or is being sent is in a table of its own, so that the journal's line of a push is written twice only: when it is
-- stored and when it has ended.
--
-- An open line of the journal says 'queued', whatever the queue says of it.

-- 0 for transactional messages, 1 for campaigns; a message keeps its lane.
ALTER TABLE messages ADD COLUMN lane BIGINT NOT NULL DEFAULT 0;

UPDATE messages SET lane = 1 WHERE kind = 'campaign';

-- The open deliveries.
CREATE TABLE queue (
  delivery_id BIGINT PRIMARY KEY,
  message_id BIGINT NOT NULL,
  -- In which order claims take them: twice the lane, and 1 more for another attempt.
  turn BIGINT NOT NULL,
  -- 'queued', 'held' by a pause, or 'sending'.
  state TEXT NOT NULL,
  -- The sender that sends it.
  owner TEXT,
  due_at BIGINT NOT NULL,
  -- The device token. NULL says that its device is gone: it is not sent.
  address TEXT,
  topic TEXT NOT NULL,
  environment TEXT NOT NULL,
  apns_id TEXT NOT NULL,
  attempts BIGINT NOT NULL,
  -- 1 once an attempt went out whose answer never came.
  maybe_twice BIGINT NOT NULL,
  -- What APNs answered last.
  status BIGINT,
  reason TEXT,
  created_at BIGINT NOT NULL
);

INSERT INTO queue (delivery_id, message_id, turn, state, owner, due_at, address, topic, environment, apns_id, attempts,
  maybe_twice, status, reason, created_at)
SELECT d.id, d.message_id, 2 * COALESCE((SELECT lane FROM messages WHERE id = d.message_id), 0)
    + CASE WHEN d.attempts > 0 THEN 1 ELSE 0 END,
  d.state, d.owner, d.due_at, d.address, d.topic, d.environment, d.apns_id, d.attempts, d.maybe_twice, d.status, d.reason,
  d.created_at
FROM deliveries AS d WHERE d.finished_at IS NULL;

UPDATE deliveries SET state = 'queued', owner = NULL, address = NULL, status = NULL, reason = NULL
WHERE finished_at IS NULL;

CREATE INDEX queue_message ON queue (message_id, created_at);

CREATE INDEX queue_due ON queue (environment, turn, due_at) WHERE state = 'queued';

CREATE INDEX queue_owner ON queue (owner) WHERE owner IS NOT NULL;

DROP INDEX deliveries_due;

DROP INDEX deliveries_owner;

DROP INDEX deliveries_open;

-- Senders of before fail with these columns instead of sending what the queue has.
ALTER TABLE deliveries RENAME COLUMN owner TO unused_owner;

ALTER TABLE deliveries RENAME COLUMN address TO unused_address;

-- So that the departures of lines that are removed are found.
ALTER TABLE departures ADD COLUMN message_id BIGINT;

UPDATE departures SET message_id = (SELECT message_id FROM deliveries WHERE id = delivery_id);

CREATE INDEX departures_message ON departures (message_id);

-- How long a journal is kept depends on its lane.
DROP INDEX messages_finished;

CREATE INDEX messages_finished ON messages (lane, finished_at) WHERE finished_at IS NOT NULL;

-- What came of the pushes of a day in a lane whose journal was removed.
CREATE TABLE journal_counts (
  -- Days since 1970.
  day BIGINT NOT NULL,
  lane BIGINT NOT NULL,
  -- A final state, or 'maybe_twice'.
  outcome TEXT NOT NULL,
  reason TEXT NOT NULL,
  number BIGINT NOT NULL,
  PRIMARY KEY (day, lane, outcome, reason)
);
