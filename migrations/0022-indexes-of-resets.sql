-- A reset of a sandbox takes links and payments of one partner away, and reads no others for it.
create index checkout_sessions_by_link on checkout_sessions (link_id) where link_id is not null;
create index payments_by_partner on payments (partner_id, environment);
-- The same, read backwards, as one that there was before.
drop index renewals_by_user;
