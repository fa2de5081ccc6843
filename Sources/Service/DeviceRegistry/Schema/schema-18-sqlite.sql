-- Campaigns are listed past notifications, of which there are millions.

CREATE INDEX messages_campaigns ON messages (id) WHERE kind = 'campaign';
