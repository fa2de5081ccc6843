-- What came of pushes in each minute, so that a page about the last hours need not read the journal.

CREATE TABLE outcome_minutes (
  -- Minutes since 1970.
  minute BIGINT NOT NULL,
  -- A campaign; 0 for all notifications together.
  message_id BIGINT NOT NULL,
  -- A final state.
  outcome TEXT NOT NULL,
  reason TEXT NOT NULL,
  -- The sender that counted, so that none waits for another; empty for what no sender ended.
  sender TEXT NOT NULL,
  number BIGINT NOT NULL,
  PRIMARY KEY (minute, message_id, outcome, reason, sender)
);

CREATE INDEX outcome_minutes_campaign ON outcome_minutes (message_id, minute) WHERE message_id > 0;
