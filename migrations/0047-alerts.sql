-- What an operator should know of at once: written with its cause, told by a job.
create table alerts (
  alert_id text primary key,
  environment environment not null,
  type text not null,
  -- What it is about: the same is not raised again within an hour.
  cause text not null,
  data jsonb not null,
  created_at timestamptz not null,
  -- Null until it was decided whom to tell.
  handled_at timestamptz,
  -- When the webhook is tried next; null: not, or no more.
  due_at timestamptz,
  attempts int not null default 0,
  sent_at timestamptz,
  error text
);
create index alerts_cause_idx on alerts (type, cause, created_at desc);
create index alerts_unhandled on alerts (created_at) where handled_at is null;
create index alerts_due on alerts (due_at) where due_at is not null;
create index alerts_created_at_idx on alerts (created_at);

create function raise_alert(
  in_environment text, in_type text, in_cause text, in_data jsonb, at timestamptz
) returns void language sql as $$
  insert into alerts (alert_id, environment, type, cause, data, created_at)
  select 'alt_' || replace(gen_random_uuid()::text, '-', ''), in_environment, in_type, in_cause, in_data, at
  where not exists (
    select from alerts a
    where a.type = in_type and a.cause = in_cause and a.created_at > at - interval '1 hour')
$$;

create function alert_of_order() returns trigger language plpgsql as $$
declare
  about jsonb := jsonb_build_object('public_id', new.public_id, 'domain', new.domain,
    'partner_id', new.partner_id, 'amount_cents', new.sale_price_cents, 'currency', new.currency);
begin
  if tg_op = 'INSERT' then
    perform raise_alert(new.environment, 'alert.order_paid', new.public_id, about, new.created_at);
  end if;
  if new.held and (tg_op = 'INSERT' or not old.held) then
    perform raise_alert(new.environment, 'alert.order_held',
      new.public_id || ' ' || coalesce(new.hold_reason, ''),
      about || jsonb_build_object('hold_reason', new.hold_reason), new.updated_at);
  end if;
  if tg_op = 'UPDATE' and new.stalled_at is not null and old.stalled_at is null then
    perform raise_alert(new.environment, 'alert.transfer_stalled',
      new.public_id || ' ' || new.transfer_number,
      about || jsonb_build_object('expected_by', new.expected_by), new.stalled_at);
  end if;
  return null;
end $$;
create trigger orders_alert_new after insert on orders
  for each row execute function alert_of_order();
create trigger orders_alert_held after update of held on orders
  for each row when (new.held and not old.held) execute function alert_of_order();
create trigger orders_alert_stalled after update of stalled_at on orders
  for each row when (new.stalled_at is not null and old.stalled_at is null) execute function alert_of_order();

create function alert_of_refund() returns trigger language plpgsql as $$
begin
  if tg_table_name = 'payments' then
    perform raise_alert(new.environment, 'alert.refund_failed', new.id,
      jsonb_build_object('payment_id', new.id, 'public_id', new.public_id,
        'amount_cents', coalesce(new.refund_cents, new.amount_cents), 'currency', new.currency),
      new.updated_at);
  else
    perform raise_alert('live', 'alert.refund_failed', new.id,
      jsonb_build_object('charge_id', new.id, 'amount_cents', new.amount_cents,
        'currency', new.currency), new.updated_at);
  end if;
  return null;
end $$;
create trigger payments_alert_refund after update of status on payments
  for each row when (new.status = 'refund_failed' and old.status <> 'refund_failed')
  execute function alert_of_refund();
create trigger charges_alert_refund after update of status on charges
  for each row when (new.status = 'refund_failed' and old.status <> 'refund_failed')
  execute function alert_of_refund();

create function alert_of_dispute() returns trigger language plpgsql as $$
begin
  perform raise_alert(
    coalesce((select environment from payments where id = new.payment_id), 'live'),
    'alert.dispute_opened', new.id,
    jsonb_build_object('dispute_id', new.id, 'payment_id', new.payment_id,
      'amount_cents', new.amount_cents, 'currency', new.currency, 'due_at', new.due_at),
    new.created_at);
  return null;
end $$;
create trigger disputes_alert after insert on disputes
  for each row execute function alert_of_dispute();

create function alert_of_payout() returns trigger language plpgsql as $$
begin
  perform raise_alert(new.environment, 'alert.payout_failed', new.id,
    jsonb_build_object('payout_id', new.id, 'partner_id', new.partner_id,
      'amount_cents', new.amount_cents, 'currency', new.currency, 'reason', new.reason),
    new.updated_at);
  return null;
end $$;
create trigger payouts_alert_failed after update of status on payouts
  for each row when (new.status = 'failed' and old.status <> 'failed')
  execute function alert_of_payout();

create function alert_of_job() returns trigger language plpgsql as $$
begin
  perform raise_alert('live', 'alert.job_failed', new.name,
    jsonb_build_object('job', new.name, 'error', new.error), new.finished_at);
  return null;
end $$;
create trigger scheduled_jobs_alert after update of error on scheduled_jobs
  for each row when (new.error is not null and new.finished_at is not null)
  execute function alert_of_job();
