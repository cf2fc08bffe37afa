-- Records at `_for-sale` (RFC 10023) that are published through registrar connections, for names that are for sale.
alter table registrars add publishes_for_sale boolean not null default false;
-- Whether the registrar's own name servers serve the zone; null where it does not say it.
alter table registrar_domains add hosts_zone boolean;

create table for_sale_records (
  domain text primary key,
  registrar_id text not null references registrars on delete cascade,
  value text not null,
  -- Whether it is to be there, or to be gone.
  is_wanted boolean not null,
  status text not null check (status in ('queued', 'published', 'failed')),
  -- What the registrar is asked, or was asked last.
  operation_id text not null unique,
  retry_at timestamptz,
  updated_at timestamptz not null,
  check ((status = 'failed') = (retry_at is not null)),
  check (is_wanted or status <> 'published')
);
create index for_sale_records_registrar on for_sale_records (registrar_id);
