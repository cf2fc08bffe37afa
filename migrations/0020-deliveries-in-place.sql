-- A delivery's lease is written over its row. With room left on its page, the new version stays there and
-- no index has to hear of it, which saves a tenth of what a delivery costs.
alter table webhook_deliveries set (fillfactor = 60);
