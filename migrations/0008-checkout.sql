-- Buyers pay here: hosted checkout, payments, tracked links, commissions and payouts.

alter table partners
  -- Commission on sales that the house collects, by checkout links and by tracked links.
  add column hosted_checkout_bps integer not null default 1000
    check (hosted_checkout_bps between 0 and 10000),
  add column referral_bps integer not null default 500 check (referral_bps between 0 and 10000);
alter table partners
  alter column hosted_checkout_bps drop default,
  alter column referral_bps drop default;

-- The house itself, which sells on its own pages where no partner had a part in it.
insert into partners (id, name, email, status, partner_collected_bps, hosted_checkout_bps, referral_bps,
  created_at)
values ('prt_00000000000000000000000000', 'The house', 'house@localhost', 'active', 0, 0, 0,
  '2026-01-01T00:00:00Z');

-- Tracked links

create table referral_links (
  id text primary key,
  partner_id text not null references partners,
  environment environment not null,
  code text not null unique,
  type text not null check (type in ('generic', 'domain', 'product')),
  domain text,
  product text,
  -- A path of this service.
  destination text not null,
  label text,
  created_at timestamptz not null
);
create index on referral_links (partner_id, environment, id desc);

-- Who was counted on a day, as keyed hashes: a second visit within it is a repeat.
create table referral_visitors (
  partner_id text not null,
  environment environment not null,
  date date not null,
  visitor bytea not null,
  primary key (partner_id, environment, date, visitor)
);
create index on referral_visitors (date);

-- What happened on a day by way of a link, so that totals need not count their history.
create table referral_days (
  partner_id text not null,
  environment environment not null,
  date date not null,
  link_id text not null references referral_links,
  clicks bigint not null default 0,
  unique_clicks bigint not null default 0,
  bots bigint not null default 0,
  checkouts bigint not null default 0,
  sales bigint not null default 0,
  gmv_cents bigint not null default 0,
  commission_cents bigint not null default 0,
  primary key (partner_id, environment, date, link_id)
) with (fillfactor = 70);
create index on referral_days (link_id);

-- Checkout

create table checkout_sessions (
  id text primary key,
  partner_id text not null references partners,
  environment environment not null,
  domain text not null,
  price_cents bigint not null check (price_cents > 0),
  currency text not null,
  status text not null check (status in ('open', 'paid', 'cancelled')),
  buyer json not null,
  registrant json,
  return_url text,
  cancel_url text,
  external_ref text,
  metadata json not null,
  -- Of the house's own pages: the link that brought the buyer, and when.
  link_id text references referral_links,
  clicked_at timestamptz,
  public_id text,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  expires_at timestamptz not null,
  foreign key (environment, domain) references listings
);
create index on checkout_sessions (partner_id, environment, id desc);

-- One try of a buyer to pay, whatever provider it goes through.
create table payments (
  id text primary key,
  session_id text not null,
  partner_id text not null references partners,
  environment environment not null,
  provider text not null check (provider in ('test', 'stripe')),
  -- What the provider calls it.
  provider_ref text,
  amount_cents bigint not null check (amount_cents > 0),
  currency text not null,
  status text not null check (status in (
    'started', 'action_required', 'processing', 'succeeded', 'failed', 'refund_due', 'refunded')),
  -- Why it failed, or why it was paid back.
  reason text,
  refund_ref text,
  public_id text,
  -- When a payment of the test provider that takes its time comes in, or a refund is tried again.
  due_at timestamptz,
  attempts integer not null default 0,
  created_at timestamptz not null,
  updated_at timestamptz not null
);
create unique index payments_provider_ref on payments (provider, provider_ref);
create unique index payments_one_an_order on payments (public_id);
create index on payments (session_id, id desc);
create index payments_due on payments (due_at) where due_at is not null;

alter table orders
  drop constraint orders_payment_model_check,
  add constraint orders_payment_model_check
    check (payment_model in ('partner_collected', 'hosted_checkout')),
  add column checkout_session_id text references checkout_sessions,
  add column link_id text references referral_links;
create unique index orders_one_a_session on orders (checkout_session_id);
create index orders_by_link on orders (link_id, public_id desc) where link_id is not null;
create index orders_referred on orders (partner_id, environment, public_id desc)
  where link_id is not null;

-- Commissions: the ledger's lines of what the house owes a partner, each with the balance after it. The
-- head row is locked from an entry's insert to its commit, so that balances follow the order of commits.

create table commission_balances (
  partner_id text not null references partners,
  environment environment not null,
  currency text not null,
  balance_cents bigint not null,
  last_position bigint not null,
  primary key (partner_id, environment, currency)
) with (fillfactor = 50);

create table commission_entries (
  id text primary key,
  transaction_id text not null unique references ledger_transactions on delete cascade,
  partner_id text not null references partners,
  environment environment not null,
  currency text not null,
  position bigint not null,
  type text not null check (type in ('accrued', 'pending', 'paid_out', 'reversed')),
  kind text not null check (kind in ('commission', 'brokerage')),
  amount_cents bigint not null,
  balance_cents bigint not null,
  -- The order or case that earned it.
  sale_id text not null,
  payout_id text,
  -- From when on an accrued commission may be paid out, and a reversed one be kept back.
  payable_at timestamptz,
  created_at timestamptz not null,
  unique (partner_id, environment, currency, position)
);
create index commission_entries_payable on commission_entries (environment, payable_at)
  where type in ('accrued', 'reversed');
create index on commission_entries (sale_id);
create trigger commission_entries_append_only before update or delete on commission_entries
  for each row execute function ledger_entry_is_append_only();
create trigger commission_entries_never_emptied before truncate on commission_entries
  for each statement execute function ledger_is_never_emptied();

create table payouts (
  id text primary key,
  partner_id text not null references partners,
  environment environment not null,
  currency text not null,
  kind text not null check (kind in ('commission', 'brokerage')),
  amount_cents bigint not null check (amount_cents > 0),
  status text not null check (status in ('pending', 'processing', 'paid', 'failed', 'canceled')),
  reason text,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  paid_at timestamptz
);
create index on payouts (partner_id, environment, id desc);
create index payouts_running on payouts (environment, id) where status in ('pending', 'processing');

create table payout_lines (
  payout_id text not null references payouts,
  entry_id text not null references commission_entries,
  -- False once the payout has failed: the entry is free for another one.
  active boolean not null,
  primary key (payout_id, entry_id)
);
-- Nothing is paid out twice.
create unique index payout_lines_one_each on payout_lines (entry_id) where active;
