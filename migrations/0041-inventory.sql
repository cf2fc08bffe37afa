-- Names that nobody may list, and listings that are for sale to nobody until an operator lifts it.
create table blocked_domains (
  domain text primary key,
  blocked_at timestamptz not null
);
-- The marketplace withdraws names of its own, too.
alter table listings drop constraint listings_status_check;
alter table listings
  add constraint listings_status_check check (status in ('listed', 'sold', 'delisted')),
  add column frozen_at timestamptz,
  add column frozen_reason text,
  add constraint listings_frozen_check check (frozen_at is null or status = 'delisted');
