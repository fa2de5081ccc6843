-- Broadcast channels of APNs, and Live Activities.

CREATE TABLE channels (
  id IDENTIFIER,
  -- As APNs names it, in Base64; it is never used again.
  channel TEXT NOT NULL,
  -- The app's bundle identifier.
  topic TEXT NOT NULL,
  environment TEXT NOT NULL,
  -- What APNs stores of its broadcasts: 'none' or 'newest'.
  storage TEXT NOT NULL,
  name TEXT,
  -- The credential that made it.
  actor TEXT NOT NULL,
  created_at BIGINT NOT NULL,
  -- When it was deleted, or found to be gone.
  ended_at BIGINT,
  broadcasts BIGINT NOT NULL,
  -- When APNs took the last broadcast.
  sent_at BIGINT
);

CREATE UNIQUE INDEX channels_channel ON channels (topic, environment, channel);

-- The devices of an activity are those with the tag 'activity:' and its number.
CREATE TABLE activities (
  id IDENTIFIER,
  topic TEXT NOT NULL,
  environment TEXT NOT NULL,
  name TEXT,
  actor TEXT NOT NULL,
  -- The channel whose broadcasts update it; NULL where its devices' own tokens are used.
  channel_id BIGINT,
  -- The message that started it on its devices; NULL where the app did.
  message_id BIGINT,
  started_at BIGINT NOT NULL,
  updated_at BIGINT NOT NULL,
  updates BIGINT NOT NULL,
  ended_at BIGINT
);

CREATE UNIQUE INDEX activities_message ON activities (message_id) WHERE message_id IS NOT NULL;
