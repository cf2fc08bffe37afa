-- Whom the domain is registered to, as of the payment's start: a checkout's details may change after it.
alter table payments add column registrant jsonb;
