-- The partner half of the marketplace: who sells, what is for sale, quotes, orders, money and events.
-- No column takes its time from the database: every moment comes from the service's clock.

create extension if not exists pg_trgm;

create domain environment as text check (value in ('sandbox', 'live'));

-- What this installation knows about itself, such as the proof that its secrets key fits.
create table installation (
  name text primary key,
  value text not null
);

create table signing_keys (
  kid text primary key,
  public_jwk json not null,
  private_jwk_sealed bytea not null,
  created_at timestamptz not null
);

-- Partners

create table partners (
  id text primary key,
  name text not null,
  email text not null,
  status text not null check (status in ('active', 'suspended')),
  live_approved_at timestamptz,
  partner_collected_bps integer not null check (partner_collected_bps between 0 and 10000),
  created_at timestamptz not null
);

create table affiliates (
  id text primary key,
  partner_id text not null unique references partners,
  created_at timestamptz not null
);

create table credentials (
  key_id text primary key,
  partner_id text not null references partners,
  environment environment not null,
  scopes text[] not null,
  secret_sealed bytea not null,
  previous_secret_sealed bytea,
  previous_secret_expires_at timestamptz,
  status text not null check (status in ('active', 'revoked')),
  -- Grows with every change of the credential or its partner, so that no instance trusts an old copy.
  revision integer not null,
  created_at timestamptz not null,
  revoked_at timestamptz,
  last_used_at timestamptz
);
create index on credentials (partner_id);

-- A nonce stands here until its request's timestamp is too old to be accepted.
create table nonces (
  key_id text not null,
  nonce text not null,
  expires_at timestamptz not null,
  primary key (key_id, nonce)
);
create index on nonces using brin (expires_at) with (pages_per_range = 16);

-- Losing these counts in a crash only forgives some requests.
create unlogged table rate_windows (
  subject text primary key,
  used integer not null,
  ends_at timestamptz not null
) with (fillfactor = 50);

create table idempotency_keys (
  subject text not null,
  method text not null,
  path text not null,
  key text not null,
  fingerprint bytea not null,
  -- Null only inside the transaction that runs the request.
  status integer,
  body text,
  created_at timestamptz not null,
  expires_at timestamptz not null,
  primary key (subject, method, path, key)
);
create index on idempotency_keys using brin (expires_at) with (pages_per_range = 16);

-- Inventory

create table listings (
  environment environment not null,
  domain text not null,
  label text not null,
  tld text not null,
  price_cents bigint not null check (price_cents > 0),
  floor_price_cents bigint not null check (floor_price_cents between 1 and price_cents),
  currency text not null,
  status text not null check (status in ('listed', 'sold')),
  -- The running quote that holds the domain, and how long.
  reserved_by text,
  reserved_until timestamptz,
  metadata json not null,
  listed_at timestamptz not null,
  updated_at timestamptz not null,
  primary key (environment, domain)
);
create index listings_label on listings using gin (label gin_trgm_ops) where status = 'listed';

-- Quotes and orders

create table quotes (
  id text primary key,
  partner_id text not null references partners,
  environment environment not null,
  domain text not null,
  price_cents bigint not null,
  currency text not null,
  status text not null check (status in ('active', 'consumed', 'released')),
  created_at timestamptz not null,
  expires_at timestamptz not null,
  foreign key (environment, domain) references listings
);
create index quotes_running on quotes (partner_id, environment, expires_at) where status = 'active';

create table settlements (
  id text primary key,
  partner_id text not null references partners,
  environment environment not null,
  currency text not null,
  status text not null check (status in ('open', 'closed')),
  period_start timestamptz not null,
  period_end timestamptz,
  check ((status = 'closed') = (period_end is not null))
);
create unique index settlements_one_open on settlements (partner_id, environment, currency)
  where status = 'open';
create index on settlements (partner_id, environment, id desc);

create table orders (
  public_id text primary key,
  partner_id text not null references partners,
  environment environment not null,
  domain text not null,
  status text not null check (status in (
    'EXTERNALLY_PAID', 'PAID', 'TRANSFER_IN_PROGRESS', 'TRANSFER_COMPLETED',
    'SETTLED', 'REFUNDED', 'CANCELLED')),
  payment_model text not null check (payment_model in ('partner_collected')),
  sale_price_cents bigint not null check (sale_price_cents > 0),
  currency text not null,
  commission_bps integer not null,
  commission_cents bigint not null check (commission_cents between 0 and sale_price_cents),
  held boolean not null,
  hold_reason text,
  quote_id text references quotes,
  external_payment_ref text,
  buyer json not null,
  return_url text,
  cancel_url text,
  transfer_status text not null check (transfer_status in (
    'pending', 'in_progress', 'action_required', 'failed', 'completed', 'cancelled')),
  transfer_started_at timestamptz,
  transfer_completed_at timestamptz,
  transfer_reason text,
  timeline jsonb not null,
  settlement_id text references settlements,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  foreign key (environment, domain) references listings
);
-- No domain is sold twice, and no payment is recorded twice.
create unique index orders_one_sale on orders (environment, domain)
  where status not in ('REFUNDED', 'CANCELLED');
create unique index orders_payment_ref on orders (partner_id, environment, external_payment_ref);
create index on orders (partner_id, environment, public_id desc);
create index on orders (partner_id, environment, domain);
create index on orders (partner_id, environment, status, public_id desc);
create index orders_held on orders (environment, public_id) where held;
create index on orders (settlement_id) where settlement_id is not null;

create table refunds (
  id text primary key,
  public_id text not null references orders,
  amount_cents bigint not null,
  currency text not null,
  reason text not null,
  note text,
  requested_by text not null check (requested_by in ('partner', 'operator')),
  created_at timestamptz not null
);
create unique index refunds_one_each on refunds (public_id);

-- Money: double entry, insert only. Debits are positive, credits negative.

create table ledger_transactions (
  id text primary key,
  environment environment not null,
  partner_id text not null references partners,
  -- What happened, and to what: together unique, so that posting twice is harmless.
  code text not null,
  source text not null,
  settlement_id text references settlements,
  currency text not null,
  at timestamptz not null,
  unique (code, source)
);
create index on ledger_transactions (settlement_id);
create index on ledger_transactions (partner_id, environment, at);

create table ledger_entries (
  transaction_id text not null references ledger_transactions on delete cascade,
  account text not null,
  amount_cents bigint not null,
  primary key (transaction_id, account)
);

create function ledger_must_balance() returns trigger language plpgsql as $$
begin
  -- All entries of a transaction come in one statement, so the added ones are the whole of it.
  if exists (select 1 from added group by transaction_id having sum(amount_cents) <> 0) then
    raise exception 'ledger: debits and credits differ';
  end if;
  return null;
end $$;
create trigger ledger_entries_balance after insert on ledger_entries
  referencing new table as added for each statement execute function ledger_must_balance();

create function ledger_is_append_only() returns trigger language plpgsql as $$
begin
  if tg_op = 'DELETE' and old.environment = 'sandbox' then
    return old;
  end if;
  raise exception 'ledger: entries are never changed or removed';
end $$;
create trigger ledger_transactions_append_only before update or delete on ledger_transactions
  for each row execute function ledger_is_append_only();

create function ledger_entry_is_append_only() returns trigger language plpgsql as $$
begin
  -- Entries leave only with their transaction, which guards itself.
  if tg_op = 'DELETE' and not exists (
    select 1 from ledger_transactions where id = old.transaction_id
  ) then
    return old;
  end if;
  raise exception 'ledger: entries are never changed or removed';
end $$;
create trigger ledger_entries_append_only before update or delete on ledger_entries
  for each row execute function ledger_entry_is_append_only();

create function ledger_is_never_emptied() returns trigger language plpgsql as $$
begin
  raise exception 'ledger: entries are never changed or removed';
end $$;
create trigger ledger_transactions_never_emptied before truncate on ledger_transactions
  for each statement execute function ledger_is_never_emptied();
create trigger ledger_entries_never_emptied before truncate on ledger_entries
  for each statement execute function ledger_is_never_emptied();

-- Events and their deliveries

-- The counter row is locked from an event's insert to its commit, so positions follow commit order.
create table event_streams (
  partner_id text not null references partners,
  environment environment not null,
  last_position bigint not null,
  primary key (partner_id, environment)
) with (fillfactor = 50);

create table events (
  id text primary key,
  partner_id text not null references partners,
  environment environment not null,
  position bigint not null,
  type text not null,
  -- json, not jsonb: the bytes of a delivery keep their order.
  data json not null,
  created_at timestamptz not null,
  unique (partner_id, environment, position)
);

create table webhook_endpoints (
  id text primary key,
  partner_id text not null references partners,
  environment environment not null,
  url text not null,
  secret_sealed bytea not null,
  active boolean not null,
  inactive_reason text,
  failing_since timestamptz,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  unique (partner_id, environment)
);

create table webhook_deliveries (
  id text primary key,
  endpoint_id text not null references webhook_endpoints,
  event_id text not null references events on delete cascade,
  status text not null check (status in ('pending', 'delivered', 'failed', 'dropped')),
  attempts integer not null,
  due_at timestamptz not null,
  -- Until then one instance is at it; what it reports after is void.
  leased_until timestamptz,
  lease text,
  created_at timestamptz not null
);
create index webhook_deliveries_due on webhook_deliveries (endpoint_id, due_at)
  where status = 'pending';
create index on webhook_deliveries (event_id);
create index on webhook_deliveries using brin (created_at) with (pages_per_range = 16);

create table webhook_attempts (
  id text primary key,
  delivery_id text not null references webhook_deliveries on delete cascade,
  endpoint_id text not null references webhook_endpoints,
  event_id text not null,
  type text not null,
  attempt integer not null,
  response_status integer,
  error text,
  duration_ms integer not null,
  at timestamptz not null
);
create index on webhook_attempts (endpoint_id, id desc);
create index on webhook_attempts (delivery_id);

create table scheduled_jobs (
  name text primary key,
  due_at timestamptz not null,
  lease text,
  leased_until timestamptz,
  finished_at timestamptz,
  error text
);
