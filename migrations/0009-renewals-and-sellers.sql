-- Owners pay for renewals with a saved card, are paid for the domains that they sell, and get what they buy.

-- A card that a user saved. Its number is the provider's; we keep what it is called there.
create table payment_methods (
  id text primary key,
  user_id text not null references users,
  provider text not null check (provider in ('test', 'stripe')),
  status text not null check (status in ('pending', 'active', 'removed')),
  -- While it is pending: the provider's page on which it is being saved.
  setup_ref text,
  customer_ref text,
  method_ref text,
  -- What its owner knows it by, such as `Visa ending in 4242`.
  label text,
  created_at timestamptz not null,
  updated_at timestamptz not null
);
-- One card pays: saving another replaces it.
create unique index payment_methods_one_each on payment_methods (user_id) where status = 'active';
create index payment_methods_pending on payment_methods (created_at) where status = 'pending';

-- What is taken from a saved card, its owner not being there.
create table charges (
  id text primary key,
  user_id text not null references users,
  payment_method_id text not null references payment_methods,
  provider text not null check (provider in ('test', 'stripe')),
  provider_ref text,
  amount_cents bigint not null check (amount_cents > 0),
  currency text not null,
  status text not null check (status in (
    'started', 'processing', 'succeeded', 'failed', 'refund_due', 'refunded')),
  reason text,
  -- The part that bought nothing, and goes back.
  refund_cents bigint not null default 0 check (refund_cents between 0 and amount_cents),
  refund_ref text,
  -- The request that made it, so that a repeat after a crash finds it.
  request_key text unique,
  request_fingerprint bytea,
  due_at timestamptz,
  attempts integer not null default 0,
  created_at timestamptz not null,
  updated_at timestamptz not null
);
create index on charges (user_id, id);
create index charges_due on charges (due_at) where due_at is not null;

-- A renewal takes effect once its charge has succeeded. Earlier rows were never charged.
alter table renewals
  drop constraint renewals_status_check,
  add constraint renewals_status_check check (status in ('due', 'paid', 'failed', 'refunded')),
  add column charge_id text references charges,
  -- Whether the clock started it, and from which expiry on.
  add column automatic boolean not null default false,
  add column from_expires_at timestamptz,
  add column reason text;
alter table renewals
  alter column automatic drop default,
  -- Absent when a renewal failed before it had a price.
  alter column price_cents drop not null;
create unique index renewals_one_under_way on renewals (domain)
  where status = 'due' and charge_id is not null;
create index on renewals (charge_id);
create index renewals_automatic on renewals (domain, created_at) where automatic;
create index owned_domains_expiry on owned_domains (expires_at);

-- Domains that were bought here by somebody who has no account, or an unconfirmed one, of that address.
create table promised_domains (
  domain text primary key,
  email text not null check (email = lower(email)),
  expires_at timestamptz not null,
  created_at timestamptz not null
);
create index on promised_domains (email);

-- A user who sells is paid as partners are.
alter table partners add column user_id text unique references users;
alter table orders
  -- Whose domain it is, if it is a user's, and how much of the price is theirs once it is delivered.
  add column seller_id text references users,
  add column seller_cents bigint check (seller_cents between 0 and sale_price_cents),
  -- So long after the delivery is it held.
  add column seller_hold_days integer;
alter table commission_entries
  drop constraint commission_entries_kind_check,
  add constraint commission_entries_kind_check check (kind in ('commission', 'brokerage', 'sale'));
alter table payouts
  drop constraint payouts_kind_check,
  add constraint payouts_kind_check check (kind in ('commission', 'brokerage', 'sale'));
-- Who got a domain here may sell it here again: only sales that are under way exclude each other.
drop index orders_one_sale;
create unique index orders_one_sale on orders (environment, domain)
  where status not in ('REFUNDED', 'CANCELLED', 'TRANSFER_COMPLETED', 'SETTLED');
