-- A time as responses and events have it: RFC 3339 UTC with milliseconds and Z.
create function timestamp_text(moment timestamptz) returns text language sql stable as $$
  select to_char(moment at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')
$$;

create or replace function alert_of_order() returns trigger language plpgsql as $$
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
      about || jsonb_build_object('expected_by', timestamp_text(new.expected_by)), new.stalled_at);
  end if;
  return null;
end $$;

create or replace function alert_of_dispute() returns trigger language plpgsql as $$
begin
  perform raise_alert(
    coalesce((select environment from payments where id = new.payment_id), 'live'),
    'alert.dispute_opened', new.id,
    jsonb_build_object('dispute_id', new.id, 'payment_id', new.payment_id,
      'amount_cents', new.amount_cents, 'currency', new.currency,
      'due_at', timestamp_text(new.due_at)),
    new.created_at);
  return null;
end $$;
