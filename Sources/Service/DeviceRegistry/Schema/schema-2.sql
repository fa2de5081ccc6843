-- Messages (notifications and campaigns), the ranges of devices that campaigns go through, deliveries, and the processes
-- that send. Times are milliseconds since 1970 where nothing else is said.

CREATE TABLE messages (
  id IDENTIFIER,
  -- 'notification' or 'campaign'.
  kind TEXT NOT NULL,
  name TEXT,
  -- The credential that asked for it.
  actor TEXT NOT NULL,
  topic TEXT NOT NULL,
  environment TEXT NOT NULL,
  push_type TEXT NOT NULL,
  priority BIGINT NOT NULL,
  -- Seconds since 1970, as APNs takes it.
  expiration BIGINT,
  collapse_id TEXT,
  -- Sent byte for byte.
  payload TEXT NOT NULL,
  -- A campaign's audience in JSON.
  audience TEXT NOT NULL,
  -- Minutes after midnight in each device's time zone.
  local_time BIGINT,
  -- Pushes a second.
  throttle BIGINT,
  -- Up to when the throttle is used up, in microseconds.
  throttle_at BIGINT NOT NULL,
  -- 'running', 'paused', 'cancelled' or 'completed'.
  state TEXT NOT NULL,
  -- Devices that fitted when it was made.
  estimate BIGINT NOT NULL,
  created_at BIGINT NOT NULL,
  finished_at BIGINT,
  -- After that, what APNs has not taken is given up.
  give_up_at BIGINT NOT NULL
);

CREATE INDEX messages_open ON messages (id) WHERE finished_at IS NULL;

CREATE INDEX messages_finished ON messages (finished_at) WHERE finished_at IS NOT NULL;

-- A part of a campaign's devices, by their identifiers, and for a campaign at a local time by their time zones as well.
CREATE TABLE ranges (
  id IDENTIFIER,
  message_id BIGINT NOT NULL,
  due_at BIGINT NOT NULL,
  -- Each time zone between two unit separators (U+001F); empty for every zone.
  zones TEXT NOT NULL,
  -- 1 where the devices are those that are in none of the zones.
  excludes_zones BIGINT NOT NULL,
  -- Deliveries are made for the devices after this one, up to the last.
  cursor_id BIGINT NOT NULL,
  last_id BIGINT NOT NULL,
  -- The sender that holds it.
  owner TEXT
);

CREATE INDEX ranges_due ON ranges (due_at, id);

CREATE INDEX ranges_message ON ranges (message_id);

CREATE INDEX ranges_owner ON ranges (owner) WHERE owner IS NOT NULL;

CREATE TABLE deliveries (
  id IDENTIFIER,
  message_id BIGINT NOT NULL,
  token TEXT NOT NULL,
  topic TEXT NOT NULL,
  environment TEXT NOT NULL,
  -- The same for every attempt.
  apns_id TEXT NOT NULL,
  -- 'queued', 'held' by a pause, 'sending'; then 'accepted', 'rejected', 'expired' or 'cancelled'.
  state TEXT NOT NULL,
  -- The sender that sends it.
  owner TEXT,
  due_at BIGINT NOT NULL,
  attempts BIGINT NOT NULL,
  -- 1 once an attempt went out whose answer never came.
  maybe_twice BIGINT NOT NULL,
  -- What APNs answered last.
  status BIGINT,
  reason TEXT,
  created_at BIGINT NOT NULL,
  finished_at BIGINT
);

-- Of one message a token gets one delivery. The token comes first, so that a person's data can be erased.
CREATE UNIQUE INDEX deliveries_token ON deliveries (token, message_id);

CREATE INDEX deliveries_message ON deliveries (message_id, id);

CREATE INDEX deliveries_due ON deliveries (environment, due_at) WHERE state = 'queued';

CREATE INDEX deliveries_owner ON deliveries (owner) WHERE state = 'sending';

CREATE INDEX deliveries_open ON deliveries (message_id) WHERE finished_at IS NULL;

CREATE INDEX deliveries_reason ON deliveries (reason, id) WHERE reason IS NOT NULL;

-- The processes that send. What one holds is taken over when its lease has ended.
CREATE TABLE senders (
  id TEXT PRIMARY KEY,
  lease_until BIGINT NOT NULL
);

-- How deliveries ended; counted in the transaction that ends them.
CREATE TABLE outcome_counts (
  message_id BIGINT NOT NULL,
  -- A final state, or 'maybe_twice'.
  outcome TEXT NOT NULL,
  reason TEXT NOT NULL,
  number BIGINT NOT NULL,
  PRIMARY KEY (message_id, outcome, reason)
);
