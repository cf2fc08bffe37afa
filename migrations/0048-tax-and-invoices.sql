-- Tax that a payment brought on top of the price.
alter table payments
  add column tax_cents bigint not null default 0,
  -- Its name, rate and country, or why there is none; null where tax is not counted.
  add column tax jsonb;

-- Numbers without gaps: the row is held until whoever takes a number has committed.
create table invoice_counters (
  environment environment not null,
  year int not null,
  last_seq int not null,
  primary key (environment, year)
);
-- Invoices of hosted sales, and the credit notes that take them back. They never change.
create table invoices (
  invoice_id text primary key,
  number text not null unique,
  environment environment not null,
  year int not null,
  seq int not null,
  kind text not null check (kind in ('invoice', 'credit_note')),
  -- The number of the invoice that a credit note takes back.
  credits text references invoices (number),
  public_id text not null,
  payment_id text not null,
  domain text not null,
  seller jsonb not null,
  buyer jsonb not null,
  net_cents bigint not null,
  tax_cents bigint not null,
  tax jsonb,
  currency text not null,
  issued_at timestamptz not null,
  unique (environment, year, seq),
  unique (payment_id, kind)
);
create index invoices_public_id_idx on invoices (public_id);
