-- What registries answered, what we charge for their names, and where they are asked.

-- The price book, in US cents. An operation that a top-level domain does not have has no price.
create table tld_prices (
  tld text not null,
  op text not null check (op in ('register', 'renew', 'transfer', 'restore')),
  price_cents bigint check (price_cents > 0),
  currency text not null check (currency = 'USD'),
  years integer not null check (years between 1 and 20),
  updated_at timestamptz not null,
  primary key (tld, op)
);

-- Shared by all instances. Losing it in a crash only means asking again.
create unlogged table registry_answers (
  domain text primary key,
  state text not null check (state in ('available', 'registered', 'unknown')),
  source text not null check (source in ('rdap', 'whois')),
  record json,
  checked_at timestamptz not null,
  expires_at timestamptz not null
);
create index on registry_answers (expires_at);

-- IANA's list of RDAP servers, as last fetched: newer than the one that ships with the service.
create table rdap_bootstrap (
  publication timestamptz primary key,
  body text not null,
  fetched_at timestamptz not null
);
