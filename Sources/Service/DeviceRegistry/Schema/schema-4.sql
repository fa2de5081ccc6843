-- A person's data can be erased wherever it is: what stays of a delivery names its device by a keyed hash.
--
-- From this version on deliveries.token is the keyed hash of the device token ('hmac-' and 32 hexadecimal digits), or
-- 'erased-' and a number once the person's data was erased.

-- One row. HMAC-SHA-256's key, and its blocks for the inner and the outer hash, all in hexadecimal digits.
CREATE TABLE hash_key (
  key TEXT NOT NULL,
  inner_block TEXT NOT NULL,
  outer_block TEXT NOT NULL
);

-- The device token, while the delivery is open. NULL in an open delivery says that its device is gone: it is not sent.
ALTER TABLE deliveries ADD COLUMN address TEXT;

-- 1 when a recipient was erased before the message had ended; 2 when nobody else is a recipient, so that name, payload,
-- collapse identifier and audience are removed.
ALTER TABLE messages ADD COLUMN redaction BIGINT NOT NULL DEFAULT 0;

-- The message that the answer describes.
ALTER TABLE idempotency_keys ADD COLUMN message_id BIGINT;

CREATE INDEX idempotency_keys_message ON idempotency_keys (message_id) WHERE message_id IS NOT NULL;

-- Deliveries whose device has left since: it was deleted, or belongs to another alias. The others belong to the alias that
-- their device has now.
CREATE TABLE departures (
  delivery_id BIGINT PRIMARY KEY,
  -- The keyed hash of the alias that the device had.
  alias TEXT NOT NULL
);

CREATE INDEX departures_alias ON departures (alias);

-- Aliases that a notification named and that had no device then, by their keyed hashes.
CREATE TABLE unreached_aliases (
  message_id BIGINT NOT NULL,
  alias TEXT NOT NULL,
  PRIMARY KEY (message_id, alias)
);

CREATE INDEX unreached_aliases_alias ON unreached_aliases (alias);

-- One row while deliveries of before hold tokens: those up to this identifier, which have ended.
CREATE TABLE unhashed_deliveries (
  last_id BIGINT NOT NULL
);
