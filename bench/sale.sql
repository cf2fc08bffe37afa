-- The whole of a sale as one function: what the bare server calls once for each order.
create function sell(
  the_key_id text, the_nonce text, nonce_expires_at timestamptz,
  the_partner text, the_environment text, the_path text, the_key text, the_fingerprint bytea,
  the_domain text, the_price bigint, expected_price bigint, the_currency text, the_quote text,
  payment_ref text, the_buyer text, the_return_url text, the_cancel_url text,
  order_id text, transaction_id text, event_id text, moment text,
  out answer_status integer, out answer text
) language plpgsql as $$
declare
  the_now timestamptz := moment;
  the_subject text := the_partner || ':' || the_environment;
  stored record;
  listing record;
  quote record;
  terms integer;
  commission bigint;
  the_timeline text;
  the_position bigint;
begin
  insert into nonces values (the_key_id, the_nonce, nonce_expires_at) on conflict do nothing;
  if not found then
    answer_status := 401;
    return;
  end if;

  -- Repeats of one request meet at the listing's lock, so one look at the key after it is enough.
  select l.status, l.currency, l.reserved_by, l.reserved_until into listing from listings l
  where l.environment = the_environment and l.domain = the_domain for update;
  select k.fingerprint, k.status, k.body into stored from idempotency_keys k
  where k.subject = the_subject and k.method = 'POST' and k.path = the_path and k.key = the_key;
  if found then
    answer_status := case when stored.fingerprint = the_fingerprint then stored.status else 409 end;
    answer := stored.body;
    return;
  end if;
  if listing is null then
    answer_status := 404;
    return;
  end if;
  select q.* into quote from quotes q
  where q.id = the_quote and q.partner_id = the_partner and q.environment = the_environment
  for update;
  if listing.status = 'sold'
    or listing.reserved_until > the_now and listing.reserved_by <> the_quote then
    answer_status := 409;
    return;
  end if;
  if quote is null or quote.domain <> the_domain or the_currency <> listing.currency then
    answer_status := 400;
    return;
  end if;
  if quote.status <> 'active' then
    answer_status := 409;
    return;
  end if;
  if quote.expires_at <= the_now or the_price <> quote.price_cents
    or expected_price <> quote.price_cents then
    answer_status := 422;
    return;
  end if;
  if exists (
    select from orders o where o.partner_id = the_partner and o.environment = the_environment
      and o.external_payment_ref = payment_ref
  ) then
    answer_status := 409;
    return;
  end if;

  select p.partner_collected_bps into terms from partners p where p.id = the_partner;
  commission := the_price * terms / 10000;
  the_timeline := '[{"at":"' || moment
    || '","type":"order.recorded","status":"EXTERNALLY_PAID","note":null}]';
  insert into orders values (
    order_id, the_partner, the_environment, the_domain, 'EXTERNALLY_PAID', 'partner_collected',
    the_price, quote.currency, terms, commission, false, null, the_quote, payment_ref,
    the_buyer::json, the_return_url, the_cancel_url, 'pending', null, null, null,
    the_timeline::jsonb, null, the_now, the_now);
  update quotes set status = 'consumed' where id = the_quote;
  update listings set status = 'sold', reserved_by = null, reserved_until = null,
    updated_at = the_now, changed_in = pg_current_xact_id()
  where environment = the_environment and domain = the_domain;
  update listing_watches set is_due = true
  where environment = the_environment and domain = the_domain and not is_due;
  insert into ledger_transactions values (
    transaction_id, the_environment, the_partner, 'sale', order_id, null, quote.currency, the_now);
  insert into ledger_entries values
    (transaction_id, 'partner_funds', the_price),
    (transaction_id, 'undelivered_sales', -the_price);

  answer_status := 201;
  answer := json_build_object(
    'public_id', order_id, 'domain', the_domain, 'status', 'EXTERNALLY_PAID',
    'payment_model', 'partner_collected', 'sale_price_cents', the_price,
    'currency', quote.currency, 'commission_cents', commission,
    'amount_owed_cents', the_price - commission, 'held', false, 'hold_reason', null,
    'quote_id', the_quote, 'external_payment_ref', payment_ref, 'buyer', the_buyer::json,
    'return_url', the_return_url, 'cancel_url', the_cancel_url,
    'transfer', json_build_object(
      'status', 'pending', 'started_at', null, 'completed_at', null, 'reason', null,
      'registrar', null, 'code_available', false, 'expected_by', null, 'stalled', false,
      'proof', null),
    'delivery', json_build_object('method', 'auth_code', 'account', null, 'registrar_iana_id', null),
    'created_at', moment, 'updated_at', moment, 'timeline', the_timeline::json);
  insert into idempotency_keys values (
    the_subject, 'POST', the_path, the_key, the_fingerprint, answer_status, answer,
    the_now, the_now + interval '31 days');

  insert into sale_days as d values (the_partner, the_environment, left(moment, 10)::date,
    'partner_collected', 'EXTERNALLY_PAID', quote.currency, 1, the_price, commission)
  on conflict (partner_id, environment, date, payment_model, status, currency) do update
    set count = d.count + 1, gmv_cents = d.gmv_cents + the_price,
      commission_cents = d.commission_cents + commission;
  insert into event_streams as s values (the_partner, the_environment, 1)
  on conflict (partner_id, environment) do update set last_position = s.last_position + 1
  returning last_position into the_position;
  insert into events values (
    event_id, the_partner, the_environment, the_position, 'order.recorded',
    json_build_object('order', json_build_object(
      'public_id', order_id, 'domain', the_domain, 'status', 'EXTERNALLY_PAID',
      'sale_price_cents', the_price, 'currency', quote.currency)),
    the_now);
  insert into webhook_deliveries
  select 'del_' || substr(event_id, 5), w.id, event_id, 'pending', 0, the_now, null, null, the_now
  from webhook_endpoints w
  where w.partner_id = the_partner and w.environment = the_environment and w.active;
end $$;
