-- Campaigns at a time, again and again, in several languages and variants, and not too many to one person.

-- What a campaign has besides its push, its audience and its throttle; campaigns without any of it have no row.
CREATE TABLE campaign_options (
  message_id BIGINT PRIMARY KEY,
  -- In JSON.
  options TEXT NOT NULL,
  -- When it is to start; NULL once it has.
  starts_at BIGINT,
  -- The first campaign of a series, and which occurrence this one is, from 1; NULL for one that happens once.
  series_id BIGINT,
  occurrence BIGINT NOT NULL,
  -- Devices that fitted when it started, if it paused because they had become too many.
  grown_to BIGINT
);

CREATE INDEX campaign_options_start ON campaign_options (starts_at) WHERE starts_at IS NOT NULL;

CREATE INDEX campaign_options_series ON campaign_options (series_id) WHERE series_id IS NOT NULL;

-- How many devices got each variant, and how many nothing: 'holdout', 'cap', 'own', or 'variant-' and its place from 0.
CREATE TABLE campaign_arms (
  message_id BIGINT NOT NULL,
  arm TEXT NOT NULL,
  devices BIGINT NOT NULL,
  PRIMARY KEY (message_id, arm)
);

-- Which campaigns a person got lately, where a topic has campaigns with a cap.
CREATE TABLE campaign_reach (
  -- The keyed hash of the alias, or of the device token where a device has none.
  person TEXT NOT NULL,
  topic TEXT NOT NULL,
  environment TEXT NOT NULL,
  message_id BIGINT NOT NULL,
  at BIGINT NOT NULL,
  PRIMARY KEY (person, topic, environment, message_id)
);

CREATE INDEX campaign_reach_age ON campaign_reach (at);

-- The topics whose campaigns are counted, and until when.
CREATE TABLE capped_topics (
  topic TEXT NOT NULL,
  environment TEXT NOT NULL,
  until_at BIGINT NOT NULL,
  PRIMARY KEY (topic, environment)
);
