-- Devices, credentials of the API, the audit log and idempotency keys.
-- IDENTIFIER stands for a number that the store counts up and never uses twice. Times are milliseconds since 1970.

CREATE TABLE devices (
  id IDENTIFIER,
  token TEXT NOT NULL,
  topic TEXT NOT NULL,
  environment TEXT NOT NULL,
  push_kind TEXT NOT NULL,
  alias TEXT,
  badge BIGINT NOT NULL,
  locale TEXT,
  language TEXT,
  time_zone TEXT,
  app_version TEXT,
  -- The version in a form that sorts as text.
  version_key TEXT,
  ip_address TEXT,
  latitude DOUBLE PRECISION,
  longitude DOUBLE PRECISION,
  -- Each tag between two unit separators (U+001F); empty without tags.
  tags TEXT NOT NULL,
  created_at BIGINT NOT NULL,
  last_seen_at BIGINT NOT NULL,
  unregistered_at BIGINT,
  unregistered_reason TEXT,
  -- When APNs last said BadDeviceToken, which may also mean the wrong environment.
  suspected_at BIGINT,
  -- 1 for a new device; counts its registrations.
  revision BIGINT NOT NULL,
  UNIQUE (token, topic, environment)
);

CREATE INDEX devices_alias ON devices (alias) WHERE alias IS NOT NULL;

-- Holds every column by which a campaign chooses, so that choosing reads the index alone.
CREATE INDEX devices_audience ON devices
  (topic, environment, id, tags, locale, language, time_zone, version_key, alias)
  WHERE unregistered_at IS NULL;

CREATE INDEX devices_unregistered ON devices (unregistered_at) WHERE unregistered_at IS NOT NULL;

CREATE TABLE access_tokens (
  id TEXT PRIMARY KEY,
  -- SHA-256 of the secret part, in hexadecimal digits.
  secret_hash TEXT NOT NULL,
  name TEXT,
  -- Separated by blanks.
  scopes TEXT NOT NULL,
  -- Separated by blanks; empty for every topic.
  topics TEXT NOT NULL,
  created_at BIGINT NOT NULL,
  expires_at BIGINT,
  revoked_at BIGINT
);

-- Names no alias and no device token, so that erasing a person's data leaves nothing here.
CREATE TABLE audit_log (
  id IDENTIFIER,
  at BIGINT NOT NULL,
  actor TEXT NOT NULL,
  action TEXT NOT NULL,
  subject TEXT NOT NULL,
  affected BIGINT NOT NULL
);

CREATE TABLE idempotency_keys (
  actor TEXT NOT NULL,
  key_hash TEXT NOT NULL,
  request_hash TEXT NOT NULL,
  status BIGINT NOT NULL,
  body TEXT NOT NULL,
  created_at BIGINT NOT NULL,
  PRIMARY KEY (actor, key_hash)
);

CREATE INDEX idempotency_keys_age ON idempotency_keys (created_at);
