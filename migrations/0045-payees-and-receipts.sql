-- Where payouts go: each change is a row of its own, and is used by payouts made after `usable_from`.
create table payees (
  payee_id text primary key,
  partner_id text not null references partners (id),
  -- Name, country, account and bank, sealed.
  details bytea not null,
  name text not null,
  country text not null,
  currency text not null,
  -- The last four characters of the account.
  account_last4 text not null,
  created_at timestamptz not null,
  -- When live payouts may use it; the sandbox's use it at once.
  usable_from timestamptz not null,
  created_by text not null
);
create index payees_partner_id_idx on payees (partner_id, payee_id desc);

-- Payouts that were written to one file for the bank, whose bytes are kept, sealed.
create table payout_batches (
  batch_id text primary key,
  environment environment not null,
  format text not null check (format in ('pain.001', 'csv')),
  payout_count int not null,
  file bytea not null,
  created_at timestamptz not null,
  created_by text not null
);
alter table payouts
  add column batch_id text references payout_batches (batch_id),
  -- Who made it; null: the calendar.
  add column created_by text,
  add column approved_by text,
  add column approved_at timestamptz;
create index payouts_batch_id_idx on payouts (batch_id) where batch_id is not null;

-- What partners paid of their statements.
alter table settlements
  add column received_cents bigint not null default 0,
  add column due_at timestamptz,
  add column reminded_at timestamptz;
update settlements set due_at = period_end + interval '14 days'
  where status = 'closed' and gross_sold_cents > commission_retained_cents;
create index settlements_unpaid on settlements (environment, due_at)
  where status = 'closed' and due_at is not null
    and received_cents < gross_sold_cents - commission_retained_cents;
create table settlement_receipts (
  receipt_id text primary key,
  settlement_id text not null references settlements (id),
  partner_id text not null references partners (id),
  environment environment not null,
  currency text not null,
  amount_cents bigint not null check (amount_cents > 0),
  reference text not null,
  received_at timestamptz not null,
  created_at timestamptz not null,
  unique (partner_id, reference)
);
create index settlement_receipts_settlement_id_idx on settlement_receipts (settlement_id);
