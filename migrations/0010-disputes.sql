-- Money that came in and is asked back, and money that was sent back and did not arrive.

alter table payments
  drop constraint payments_status_check,
  add constraint payments_status_check check (status in (
    'started', 'action_required', 'processing', 'succeeded', 'failed', 'refund_due', 'refunded',
    'refund_failed', 'disputed', 'charged_back')),
  -- A refund that was refused is begun anew, with an idempotency key of its own.
  add column refund_round integer not null default 1,
  -- Why it failed, or how it was paid in the end.
  add column refund_note text;
create index payments_by_status on payments (status, id desc);

alter table orders
  -- The bank has taken the buyer's payment back, for good or until it decides: nothing is earned.
  add column disputed boolean not null default false;

create table disputes (
  id text primary key,
  payment_id text not null references payments on delete cascade,
  -- What the provider calls it.
  provider_ref text not null unique,
  amount_cents bigint not null check (amount_cents > 0),
  currency text not null,
  -- The bank's word for why the buyer wants the money back.
  reason text not null,
  status text not null check (status in (
    'inquiry', 'inquiry_closed', 'needs_response', 'under_review', 'won', 'lost')),
  -- Whether the provider took the money from the house, and whether it gave it back.
  withdrawn boolean not null,
  reinstated boolean not null,
  -- Until then the house can answer.
  due_at timestamptz,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  check (withdrawn or not reinstated)
);
create index on disputes (payment_id);
create index on disputes (status, id desc);

-- A payment stands in the books of whoever the sale is credited to.
update payments p set partner_id = o.partner_id from orders o where o.public_id = p.public_id;

-- Sales of a span of time, and their totals.
create index on orders (partner_id, environment, created_at);
