-- What an operator gives a buyer back of a sale that stands, beside what is owed.
create table goodwill_refunds (
  goodwill_id text primary key,
  payment_id text not null references payments (id) on delete cascade,
  amount_cents bigint not null check (amount_cents > 0),
  reason text not null,
  status text not null check (status in ('needs_approval', 'pending', 'sent', 'failed')),
  requested_by text not null,
  -- The second person, above FOUR_EYES_CENTS.
  approved_by text,
  -- What the provider calls it.
  provider_ref text unique,
  -- Why the provider rejected it, or why it did not arrive.
  error text,
  attempts int not null default 0,
  -- When it is sent, or tried again; null: not, or no more.
  due_at timestamptz,
  created_at timestamptz not null,
  updated_at timestamptz not null
);
create index goodwill_refunds_payment on goodwill_refunds (payment_id);
-- One at a time: whoever presses twice gives once.
create unique index goodwill_refunds_open on goodwill_refunds (payment_id)
  where status in ('needs_approval', 'pending');
create index goodwill_refunds_due on goodwill_refunds (due_at) where due_at is not null;
