-- Brokerage: asking the owners of names that are not for sale.

alter table partners
  -- Commission on the deals that the house's brokers close for the partner's users.
  add column brokerage_bps integer not null default 1000 check (brokerage_bps between 0 and 10000);

create table brokerage_cases (
  case_id text primary key,
  partner_id text not null references partners,
  environment environment not null,
  domain text not null,
  tier text not null check (tier in ('managed', 'self_serve')),
  status text not null check (status in (
    'open', 'sourcing', 'contacted', 'negotiating', 'agreed',
    'completed', 'declined', 'no_contact', 'cancelled')),
  buyer_email text not null,
  budget bigint not null check (budget > 0),
  currency text not null,
  note text,
  price_cents bigint check (price_cents > 0),
  commission_bps integer not null,
  commission_cents bigint check (commission_cents between 0 and price_cents),
  -- Which broker of the house has it; null while it waits in the queue.
  assignee text,
  -- The buyer's progress link: found by its hash, and sealed to be shown again. Null once revoked.
  progress_hash bytea,
  progress_sealed bytea,
  timeline jsonb not null,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  ended_at timestamptz,
  check ((ended_at is not null) = (status in ('completed', 'declined', 'no_contact', 'cancelled'))),
  check ((status = 'completed') = (commission_cents is not null)),
  check (status not in ('agreed', 'completed') or price_cents is not null)
);
-- Whatever races: a domain has one running case.
create unique index brokerage_cases_one_running on brokerage_cases (environment, domain)
  where ended_at is null;
create unique index brokerage_cases_progress on brokerage_cases (progress_hash);
create index on brokerage_cases (partner_id, environment, case_id desc);
create index on brokerage_cases (environment, status, case_id desc);

create table brokerage_offers (
  offer_id text primary key,
  case_id text not null references brokerage_cases on delete cascade,
  made_by text not null check (made_by in ('buyer', 'owner')),
  price_cents bigint not null check (price_cents > 0),
  message text,
  status text not null check (status in (
    'open', 'accepted', 'rejected', 'countered', 'replaced', 'lapsed')),
  created_at timestamptz not null,
  answered_at timestamptz,
  check ((status = 'open') = (answered_at is null))
);
create index on brokerage_offers (case_id, offer_id);
-- The two sides take turns: an offer answers the one before.
create unique index brokerage_offers_one_open on brokerage_offers (case_id) where status = 'open';

-- What only the house's brokers see.
create table brokerage_notes (
  note_id text primary key,
  case_id text not null references brokerage_cases on delete cascade,
  text text not null,
  created_at timestamptz not null
);
create index on brokerage_notes (case_id, note_id);

-- Whether a site runs on a name. Losing it in a crash only means asking again.
create unlogged table site_checks (
  domain text primary key,
  state text not null check (state in ('active', 'parked', 'none', 'unknown')),
  checked_at timestamptz not null,
  expires_at timestamptz not null
);
create index on site_checks (expires_at);
