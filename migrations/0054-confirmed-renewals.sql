-- A bank may want the cardholder to confirm a charge that was made without them.
alter table charges
  drop constraint charges_status_check,
  add constraint charges_status_check check (status in ('started', 'processing', 'confirmation_due', 'authorized',
    'capture_due', 'succeeded', 'failed', 'refund_due', 'refunded', 'refund_failed')),
  -- The provider's page on which it is confirmed.
  add column confirmation_ref text;
