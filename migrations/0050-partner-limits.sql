-- What keeps a partner's debts and a stolen credential small.
alter table partners
  -- What it may owe: orders above it are held. Null: no limit.
  add column credit_limit_cents bigint,
  -- Orders within an hour, beyond which they are held. Null: no limit.
  add column orders_per_hour int;
alter table credentials
  add column expires_at timestamptz,
  -- Addresses and networks that it may be used from; null: any.
  add column allowed_addresses text[];

-- A refund above FOUR_EYES_CENTS that one operator wants, and another has to do.
create table refund_requests (
  public_id text primary key references orders (public_id) on delete cascade,
  requested_by text not null,
  requested_at timestamptz not null
);
