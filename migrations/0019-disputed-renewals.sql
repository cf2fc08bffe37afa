-- Banks take back what was paid for renewals too.

alter table disputes
  alter column payment_id drop not null,
  -- Over a renewal's charge, which is no payment.
  add column charge_id text references charges,
  add constraint disputes_over_one check (num_nonnulls(payment_id, charge_id) = 1);
create index on disputes (charge_id) where charge_id is not null;

-- A refund that did not reach the card: it is owed again, and waits for an operator.
alter table charges
  drop constraint charges_status_check,
  add constraint charges_status_check check (status in (
    'started', 'processing', 'succeeded', 'failed', 'refund_due', 'refunded', 'refund_failed'));
