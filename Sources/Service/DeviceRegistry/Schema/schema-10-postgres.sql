-- ANALYZE samples a column's values, and keeps the samples of a table that has become empty since. What belongs to a person
-- is not sampled any more where no plan depends on it, and the samples of before are deleted: by the same type again, which
-- changes no row. Tokens and aliases of devices are sampled on: without it a query for an alias reads the whole table.

ALTER TABLE devices
  ALTER ip_address SET STATISTICS 0, ALTER latitude SET STATISTICS 0, ALTER longitude SET STATISTICS 0,
  ALTER ip_address TYPE TEXT, ALTER latitude TYPE DOUBLE PRECISION, ALTER longitude TYPE DOUBLE PRECISION;

ALTER TABLE messages
  ALTER name SET STATISTICS 0, ALTER collapse_id SET STATISTICS 0, ALTER payload SET STATISTICS 0,
  ALTER audience SET STATISTICS 0,
  ALTER name TYPE TEXT, ALTER collapse_id TYPE TEXT, ALTER payload TYPE TEXT, ALTER audience TYPE TEXT;

ALTER TABLE campaign_options ALTER options SET STATISTICS 0, ALTER options TYPE TEXT;

ALTER TABLE queue ALTER address SET STATISTICS 0, ALTER address TYPE TEXT;

ALTER TABLE idempotency_keys ALTER body SET STATISTICS 0, ALTER body TYPE TEXT;
