-- The market as the public API lists it: each order has an index that is walked from wherever a cursor
-- stands. They hold the name, so that pages far down are found without reading the rows before them.

create index listings_by_age on listings (environment, listed_at, domain) where status = 'listed';
create index listings_by_price on listings (environment, price_cents, domain) where status = 'listed';
create index listings_by_tld_and_age on listings (environment, tld, listed_at, domain)
  where status = 'listed';
create index listings_by_tld_and_price on listings (environment, tld, price_cents, domain)
  where status = 'listed';

-- What was answered, when it is not JSON.
alter table idempotency_keys add column media_type text;
