-- A partner's orders are read by when they were made, which is the order of their ids, too: a span of time is
-- a piece of the index. So the index by id alone is needed no more.
drop index orders_partner_id_environment_public_id_idx;
drop index orders_referred;
create index orders_referred on orders (partner_id, environment, created_at, public_id) where link_id is not null;
