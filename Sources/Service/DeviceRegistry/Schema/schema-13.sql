-- What is decided about hosts beside their folders, so that every server of the registry serves the same; and a short way to
-- what went wrong.

-- Few of a million deliveries end so, and a person who looks for them looks for the last.
CREATE INDEX deliveries_failed ON deliveries (state, id) WHERE state IN ('rejected', 'expired', 'cancelled');

-- A topic with few messages has few deliveries, which may be far behind those of others.
CREATE INDEX messages_topic ON messages (topic, id);

-- The newest decision about each host, with the files that it is about: servers know each other's folders only by this.
CREATE TABLE site_orders (
  -- In lower case; empty for every host without files of its own.
  host TEXT PRIMARY KEY,
  -- Of site_order_count.
  revision BIGINT NOT NULL,
  -- 'rollback', 'pin', 'published', 'released', 'approved', 'removal-held' or 'removed'.
  kind TEXT NOT NULL,
  -- In hexadecimal digits; NULL for a file that isn't there.
  association_file TEXT,
  asset_links TEXT,
  -- Whether the association file is served at the root, too: 0 or 1.
  serves_root BIGINT NOT NULL,
  -- Digests of what lay in the servers' folders, with spaces between; '-' for a folder without files of the host.
  replaced TEXT NOT NULL,
  actor TEXT NOT NULL,
  since BIGINT NOT NULL,
  -- When the first server's folder had other files; servers that start later go by theirs.
  ended_at BIGINT
);

CREATE INDEX site_orders_revision ON site_orders (revision);

-- One row. Whoever changes an order holds it until the end of the transaction, so that no revision is seen before a lower one.
CREATE TABLE site_order_count (
  revision BIGINT NOT NULL
);

INSERT INTO site_order_count (revision) VALUES (0);
