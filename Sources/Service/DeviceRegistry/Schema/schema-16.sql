-- A campaign goes on after its pause a part at a time.

-- What a pause holds back: none at most times.
CREATE INDEX queue_held ON queue (message_id) WHERE state = 'held';
