-- A goodwill refund that failed waits for an operator, until another is made or it is closed.
alter table goodwill_refunds drop constraint goodwill_refunds_status_check;
alter table goodwill_refunds add constraint goodwill_refunds_status_check
  check (status in ('needs_approval', 'pending', 'sent', 'failed', 'closed'));

update goodwill_refunds g set status = 'closed'
where status = 'failed' and exists (
  select from goodwill_refunds later
  where later.payment_id = g.payment_id and later.goodwill_id > g.goodwill_id);

create index goodwill_refunds_failed on goodwill_refunds (payment_id) where status = 'failed';

create function alert_of_goodwill() returns trigger language plpgsql as $$
begin
  perform raise_alert(p.environment, 'alert.refund_failed', new.goodwill_id,
    jsonb_build_object('goodwill_id', new.goodwill_id, 'payment_id', p.id, 'public_id', p.public_id,
      'amount_cents', new.amount_cents, 'currency', p.currency, 'reason', new.error),
    new.updated_at)
  from payments p where p.id = new.payment_id;
  return null;
end $$;

create trigger goodwill_refunds_alert after update of status on goodwill_refunds for each row
when (new.status = 'failed' and old.status <> 'failed') execute function alert_of_goodwill();
