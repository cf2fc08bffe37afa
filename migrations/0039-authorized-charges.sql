-- Renewals that a registrar performs are authorized first, and captured for what was renewed.
alter table charges add column manual_capture boolean not null default false;
alter table charges add column capture_cents bigint check (capture_cents >= 0 and capture_cents <= amount_cents);
alter table charges drop constraint charges_status_check;
alter table charges add constraint charges_status_check check (status in
  ('started', 'processing', 'authorized', 'capture_due', 'succeeded', 'failed', 'refund_due', 'refunded', 'refund_failed'));
alter table renewals drop constraint renewals_status_check;
alter table renewals add constraint renewals_status_check check (status in ('due', 'renewed', 'paid', 'failed', 'refunded'));
-- The connection that performs it; null where the registrar is simulated.
alter table renewals add column registrar_id text references registrars on delete set null;
