-- Less is written for each push, and an export of a day has an owner.

-- Only campaigns are looked for by their message: of a notification the journal says what is open. Servers of before look
-- through all of the queue instead, until they are replaced.
DROP INDEX queue_message;

CREATE INDEX queue_message ON queue (message_id, created_at) WHERE turn >= 2;

-- The few whose device is gone.
CREATE INDEX queue_gone ON queue (owner) WHERE address IS NULL;

-- A random name of the process that writes it.
ALTER TABLE journal_exports ADD COLUMN owner TEXT;
