-- The alias that a device left is known for as long as the journal is kept, and not for ever.

-- When the device left. NULL where an earlier version did not write it down; the first pruning puts its own time there.
ALTER TABLE former_aliases ADD COLUMN left_at BIGINT;

CREATE INDEX former_aliases_left ON former_aliases (left_at);
