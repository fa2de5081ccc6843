-- What a person once had: a push by token to a device that is gone is found when the alias is erased. And whether an SQLite
-- file has to be rewritten.

-- The alias that each device left last, when it was deleted or registered with another alias.
CREATE TABLE former_aliases (
  -- The keyed hash of the device token.
  token TEXT NOT NULL,
  topic TEXT NOT NULL,
  environment TEXT NOT NULL,
  -- The keyed hash of the alias.
  alias TEXT NOT NULL,
  PRIMARY KEY (token, topic, environment)
);

CREATE INDEX former_aliases_alias ON former_aliases (alias);

-- One row while the unused parts of an SQLite file may hold copies of rows, which versions of before left there.
CREATE TABLE unclean_pages (
  version BIGINT NOT NULL
);
