-- A claim and an end write one index less.

-- Only who takes over a dead sender's work asks for all that it holds, and reads the queue for it.
DROP INDEX queue_owner;
