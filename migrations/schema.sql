-- The schema that the migrations make, as the database tells it. For reading only: nothing runs this
-- file. Written by `npm run schema`; a test holds it against the migrations.

create extension pg_trgm;

create domain environment as text CHECK (VALUE = ANY (ARRAY['sandbox'::text, 'live'::text]));

CREATE OR REPLACE FUNCTION alert_of_dispute()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  perform raise_alert(
    coalesce((select environment from payments where id = new.payment_id), 'live'),
    'alert.dispute_opened', new.id,
    jsonb_build_object('dispute_id', new.id, 'payment_id', new.payment_id,
      'amount_cents', new.amount_cents, 'currency', new.currency,
      'due_at', timestamp_text(new.due_at)),
    new.created_at);
  return null;
end $function$;

CREATE OR REPLACE FUNCTION alert_of_goodwill()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  perform raise_alert(p.environment, 'alert.refund_failed', new.goodwill_id,
    jsonb_build_object('goodwill_id', new.goodwill_id, 'payment_id', p.id, 'public_id', p.public_id,
      'amount_cents', new.amount_cents, 'currency', p.currency, 'reason', new.error),
    new.updated_at)
  from payments p where p.id = new.payment_id;
  return null;
end $function$;

CREATE OR REPLACE FUNCTION alert_of_job()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  perform raise_alert('live', 'alert.job_failed', new.name,
    jsonb_build_object('job', new.name, 'error', new.error), new.finished_at);
  return null;
end $function$;

CREATE OR REPLACE FUNCTION alert_of_order()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
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
end $function$;

CREATE OR REPLACE FUNCTION alert_of_payout()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  perform raise_alert(new.environment, 'alert.payout_failed', new.id,
    jsonb_build_object('payout_id', new.id, 'partner_id', new.partner_id,
      'amount_cents', new.amount_cents, 'currency', new.currency, 'reason', new.reason),
    new.updated_at);
  return null;
end $function$;

CREATE OR REPLACE FUNCTION alert_of_refund()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
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
end $function$;

CREATE OR REPLACE FUNCTION analyze_market()
 RETURNS void
 LANGUAGE plpgsql
 SECURITY DEFINER
 SET search_path TO 'pg_catalog', 'public'
AS $function$
begin
  analyze (skip_locked) listings, listing_postings;
end
$function$;

CREATE OR REPLACE FUNCTION audit_is_append_only()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  raise exception 'audit: entries are never changed or removed';
end $function$;

CREATE OR REPLACE FUNCTION ledger_entry_is_append_only()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  -- Entries leave only with their transaction, which guards itself.
  if tg_op = 'DELETE' and not exists (
    select 1 from ledger_transactions where id = old.transaction_id
  ) then
    return old;
  end if;
  if tg_op = 'UPDATE' and to_jsonb(old) ->> 'environment' = 'sandbox'
    and to_jsonb(new) - array['payable_at', 'created_at']
      = to_jsonb(old) - array['payable_at', 'created_at']
  then
    return new;
  end if;
  raise exception 'ledger: entries are never changed or removed';
end $function$;

CREATE OR REPLACE FUNCTION ledger_is_append_only()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  if tg_op = 'DELETE' and old.environment = 'sandbox' then
    return old;
  end if;
  if tg_op = 'UPDATE' and old.environment = 'sandbox'
    and to_jsonb(new) - 'at' = to_jsonb(old) - 'at'
  then
    return new;
  end if;
  raise exception 'ledger: entries are never changed or removed';
end $function$;

CREATE OR REPLACE FUNCTION ledger_is_never_emptied()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  raise exception 'ledger: entries are never changed or removed';
end $function$;

CREATE OR REPLACE FUNCTION ledger_must_balance()
 RETURNS trigger
 LANGUAGE plpgsql
AS $function$
begin
  -- All entries of a transaction come in one statement, so the added ones are the whole of it.
  if exists (select 1 from added group by transaction_id having sum(amount_cents) <> 0) then
    raise exception 'ledger: debits and credits differ';
  end if;
  return null;
end $function$;

CREATE OR REPLACE FUNCTION raise_alert(in_environment text, in_type text, in_cause text, in_data jsonb, at timestamp with time zone)
 RETURNS void
 LANGUAGE sql
AS $function$
  insert into alerts (alert_id, environment, type, cause, data, created_at)
  select 'alt_' || replace(gen_random_uuid()::text, '-', ''), in_environment, in_type, in_cause, in_data, at
  where not exists (
    select from alerts a
    where a.type = in_type and a.cause = in_cause and a.created_at > at - interval '1 hour')
$function$;

CREATE OR REPLACE FUNCTION timestamp_text(moment timestamp with time zone)
 RETURNS text
 LANGUAGE sql
 STABLE
AS $function$
  select to_char(moment at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')
$function$;

create table admin_tokens (
  token_id text not null,
  name text not null,
  token_hash bytea not null,
  role text not null,
  created_by text not null,
  created_at timestamp with time zone not null,
  expires_at timestamp with time zone,
  last_used_at timestamp with time zone,
  revoked_at timestamp with time zone,
  person text,
  constraint admin_tokens_pkey PRIMARY KEY (token_id),
  constraint admin_tokens_name_key UNIQUE (name),
  constraint admin_tokens_token_hash_key UNIQUE (token_hash),
  constraint admin_tokens_role_check CHECK (role = ANY (ARRAY['admin'::text, 'finance'::text, 'broker'::text, 'support'::text, 'viewer'::text]))
);

create table affiliates (
  id text not null,
  partner_id text not null,
  created_at timestamp with time zone not null,
  constraint affiliates_pkey PRIMARY KEY (id),
  constraint affiliates_partner_id_key UNIQUE (partner_id),
  constraint affiliates_partner_id_fkey FOREIGN KEY (partner_id) REFERENCES partners(id)
);

create table alerts (
  alert_id text not null,
  environment environment not null,
  type text not null,
  cause text not null,
  data jsonb not null,
  created_at timestamp with time zone not null,
  handled_at timestamp with time zone,
  due_at timestamp with time zone,
  attempts integer default 0 not null,
  sent_at timestamp with time zone,
  error text,
  constraint alerts_pkey PRIMARY KEY (alert_id)
);
CREATE INDEX alerts_cause_idx ON alerts USING btree (type, cause, created_at DESC);
CREATE INDEX alerts_created_at_idx ON alerts USING btree (created_at);
CREATE INDEX alerts_due ON alerts USING btree (due_at) WHERE due_at IS NOT NULL;
CREATE INDEX alerts_unhandled ON alerts USING btree (created_at) WHERE handled_at IS NULL;

create table audit_entries (
  id text not null,
  at timestamp with time zone not null,
  actor text not null,
  user_id text,
  operation text not null,
  subject text,
  input jsonb not null,
  outcome text not null,
  message text,
  request_id text not null,
  constraint audit_entries_pkey PRIMARY KEY (id)
);
CREATE INDEX audit_entries_actor_id_idx ON audit_entries USING btree (actor, id DESC);
CREATE INDEX audit_entries_operation_id_idx ON audit_entries USING btree (operation, id DESC);
CREATE INDEX audit_entries_refused ON audit_entries USING btree (id DESC) WHERE outcome <> 'done'::text;
CREATE INDEX audit_entries_subject_id_idx ON audit_entries USING btree (subject, id DESC) WHERE subject IS NOT NULL;
CREATE TRIGGER audit_entries_append_only BEFORE DELETE OR UPDATE ON audit_entries FOR EACH ROW EXECUTE FUNCTION audit_is_append_only();
CREATE TRIGGER audit_entries_never_emptied BEFORE TRUNCATE ON audit_entries FOR EACH STATEMENT EXECUTE FUNCTION audit_is_append_only();

create table blocked_domains (
  domain text not null,
  blocked_at timestamp with time zone not null,
  constraint blocked_domains_pkey PRIMARY KEY (domain)
);

create table brokerage_cases (
  case_id text not null,
  partner_id text not null,
  environment environment not null,
  domain text not null,
  tier text not null,
  status text not null,
  buyer_email text not null,
  budget bigint not null,
  currency text not null,
  note text,
  price_cents bigint,
  commission_bps integer not null,
  commission_cents bigint,
  assignee text,
  progress_hash bytea,
  progress_sealed bytea,
  timeline jsonb not null,
  created_at timestamp with time zone not null,
  updated_at timestamp with time zone not null,
  ended_at timestamp with time zone,
  constraint brokerage_cases_pkey PRIMARY KEY (case_id),
  constraint brokerage_cases_partner_id_fkey FOREIGN KEY (partner_id) REFERENCES partners(id),
  constraint brokerage_cases_budget_check CHECK (budget > 0),
  constraint brokerage_cases_check CHECK (commission_cents >= 0 AND commission_cents <= price_cents),
  constraint brokerage_cases_check1 CHECK ((ended_at IS NOT NULL) = (status = ANY (ARRAY['completed'::text, 'declined'::text, 'no_contact'::text, 'cancelled'::text]))),
  constraint brokerage_cases_check2 CHECK ((status = 'completed'::text) = (commission_cents IS NOT NULL)),
  constraint brokerage_cases_check3 CHECK ((status <> ALL (ARRAY['agreed'::text, 'completed'::text])) OR price_cents IS NOT NULL),
  constraint brokerage_cases_price_cents_check CHECK (price_cents > 0),
  constraint brokerage_cases_status_check CHECK (status = ANY (ARRAY['open'::text, 'sourcing'::text, 'contacted'::text, 'negotiating'::text, 'agreed'::text, 'completed'::text, 'declined'::text, 'no_contact'::text, 'cancelled'::text])),
  constraint brokerage_cases_tier_check CHECK (tier = ANY (ARRAY['managed'::text, 'self_serve'::text]))
);
CREATE INDEX brokerage_cases_by_assignee ON brokerage_cases USING btree (environment, assignee, case_id DESC) WHERE assignee IS NOT NULL;
CREATE INDEX brokerage_cases_by_buyer ON brokerage_cases USING btree (lower(buyer_email), case_id DESC);
CREATE INDEX brokerage_cases_by_domain ON brokerage_cases USING btree (environment, domain, case_id DESC);
CREATE INDEX brokerage_cases_by_status ON brokerage_cases USING btree (partner_id, environment, status, created_at, case_id);
CREATE INDEX brokerage_cases_by_tier ON brokerage_cases USING btree (partner_id, environment, tier, created_at, case_id);
CREATE INDEX brokerage_cases_by_time ON brokerage_cases USING btree (partner_id, environment, created_at, case_id);
CREATE INDEX brokerage_cases_completed ON brokerage_cases USING btree (partner_id, environment, ended_at, case_id) WHERE status = 'completed'::text;
CREATE INDEX brokerage_cases_environment_status_case_id_idx ON brokerage_cases USING btree (environment, status, case_id DESC);
CREATE UNIQUE INDEX brokerage_cases_one_running ON brokerage_cases USING btree (environment, domain) WHERE ended_at IS NULL;
CREATE UNIQUE INDEX brokerage_cases_progress ON brokerage_cases USING btree (progress_hash);
CREATE INDEX brokerage_cases_unassigned ON brokerage_cases USING btree (environment) WHERE ended_at IS NULL AND assignee IS NULL;

create table brokerage_notes (
  note_id text not null,
  case_id text not null,
  text text not null,
  created_at timestamp with time zone not null,
  constraint brokerage_notes_pkey PRIMARY KEY (note_id),
  constraint brokerage_notes_case_id_fkey FOREIGN KEY (case_id) REFERENCES brokerage_cases(case_id) ON DELETE CASCADE
);
CREATE INDEX brokerage_notes_case_id_note_id_idx ON brokerage_notes USING btree (case_id, note_id);

create table brokerage_offers (
  offer_id text not null,
  case_id text not null,
  made_by text not null,
  price_cents bigint not null,
  message text,
  status text not null,
  created_at timestamp with time zone not null,
  answered_at timestamp with time zone,
  constraint brokerage_offers_pkey PRIMARY KEY (offer_id),
  constraint brokerage_offers_case_id_fkey FOREIGN KEY (case_id) REFERENCES brokerage_cases(case_id) ON DELETE CASCADE,
  constraint brokerage_offers_check CHECK ((status = 'open'::text) = (answered_at IS NULL)),
  constraint brokerage_offers_made_by_check CHECK (made_by = ANY (ARRAY['buyer'::text, 'owner'::text])),
  constraint brokerage_offers_price_cents_check CHECK (price_cents > 0),
  constraint brokerage_offers_status_check CHECK (status = ANY (ARRAY['open'::text, 'accepted'::text, 'rejected'::text, 'countered'::text, 'replaced'::text, 'lapsed'::text]))
);
CREATE INDEX brokerage_offers_case_id_offer_id_idx ON brokerage_offers USING btree (case_id, offer_id);
CREATE UNIQUE INDEX brokerage_offers_one_open ON brokerage_offers USING btree (case_id) WHERE status = 'open'::text;

create table charges (
  id text not null,
  user_id text not null,
  payment_method_id text not null,
  provider text not null,
  provider_ref text,
  amount_cents bigint not null,
  currency text not null,
  status text not null,
  reason text,
  refund_cents bigint default 0 not null,
  refund_ref text,
  request_key text,
  request_fingerprint bytea,
  due_at timestamp with time zone,
  attempts integer default 0 not null,
  created_at timestamp with time zone not null,
  updated_at timestamp with time zone not null,
  manual_capture boolean default false not null,
  capture_cents bigint,
  confirmation_ref text,
  constraint charges_pkey PRIMARY KEY (id),
  constraint charges_request_key_key UNIQUE (request_key),
  constraint charges_payment_method_id_fkey FOREIGN KEY (payment_method_id) REFERENCES payment_methods(id),
  constraint charges_user_id_fkey FOREIGN KEY (user_id) REFERENCES users(id),
  constraint charges_amount_cents_check CHECK (amount_cents > 0),
  constraint charges_check CHECK (refund_cents >= 0 AND refund_cents <= amount_cents),
  constraint charges_check1 CHECK (capture_cents >= 0 AND capture_cents <= amount_cents),
  constraint charges_status_check CHECK (status = ANY (ARRAY['started'::text, 'processing'::text, 'confirmation_due'::text, 'authorized'::text, 'capture_due'::text, 'succeeded'::text, 'failed'::text, 'refund_due'::text, 'refunded'::text, 'refund_failed'::text]))
);
CREATE INDEX charges_due ON charges USING btree (due_at) WHERE due_at IS NOT NULL;
CREATE INDEX charges_uncaptured ON charges USING btree (id) WHERE status = 'failed'::text AND capture_cents > 0;
CREATE INDEX charges_user_id_id_idx ON charges USING btree (user_id, id);
CREATE TRIGGER charges_alert_refund AFTER UPDATE OF status ON charges FOR EACH ROW WHEN (new.status = 'refund_failed'::text AND old.status <> 'refund_failed'::text) EXECUTE FUNCTION alert_of_refund();

create table checkout_sessions (
  id text not null,
  partner_id text not null,
  environment environment not null,
  domain text not null,
  price_cents bigint not null,
  currency text not null,
  status text not null,
  buyer json not null,
  registrant json,
  return_url text,
  cancel_url text,
  external_ref text,
  metadata json not null,
  link_id text,
  clicked_at timestamp with time zone,
  public_id text,
  created_at timestamp with time zone not null,
  updated_at timestamp with time zone not null,
  expires_at timestamp with time zone not null,
  seller_id text,
  delivery jsonb,
  offer_id text,
  app_grant_id text,
  app_client_id text,
  app_user_id text,
  app_name text,
  by_lander boolean default false not null,
  constraint checkout_sessions_pkey PRIMARY KEY (id),
  constraint checkout_sessions_app_user_id_fkey FOREIGN KEY (app_user_id) REFERENCES users(id),
  constraint checkout_sessions_environment_domain_fkey FOREIGN KEY (environment, domain) REFERENCES listings(environment, domain),
  constraint checkout_sessions_link_id_fkey FOREIGN KEY (link_id) REFERENCES referral_links(id),
  constraint checkout_sessions_partner_id_fkey FOREIGN KEY (partner_id) REFERENCES partners(id),
  constraint checkout_sessions_price_cents_check CHECK (price_cents > 0),
  constraint checkout_sessions_status_check CHECK (status = ANY (ARRAY['open'::text, 'paid'::text, 'cancelled'::text]))
);
CREATE INDEX checkout_sessions_app_grant_id_idx ON checkout_sessions USING btree (app_grant_id) WHERE app_grant_id IS NOT NULL;
CREATE INDEX checkout_sessions_app_user_id_idx ON checkout_sessions USING btree (app_user_id) WHERE app_user_id IS NOT NULL;
CREATE INDEX checkout_sessions_by_buyer ON checkout_sessions USING btree (lower(buyer ->> 'email'::text)) WHERE (buyer ->> 'email'::text) IS NOT NULL;
CREATE INDEX checkout_sessions_by_link ON checkout_sessions USING btree (link_id) WHERE link_id IS NOT NULL;
CREATE INDEX checkout_sessions_by_registrant ON checkout_sessions USING btree (lower(registrant ->> 'email'::text)) WHERE registrant IS NOT NULL;
CREATE INDEX checkout_sessions_by_status ON checkout_sessions USING btree (partner_id, environment, status, id DESC);
CREATE INDEX checkout_sessions_partner_id_environment_domain_idx ON checkout_sessions USING btree (partner_id, environment, domain);
CREATE INDEX checkout_sessions_partner_id_environment_id_idx ON checkout_sessions USING btree (partner_id, environment, id DESC);

create table claims (
  claim_id text not null,
  user_id text not null,
  domain text not null,
  token text not null,
  status text not null,
  method text,
  problem text,
  created_at timestamp with time zone not null,
  verified_at timestamp with time zone,
  checked_at timestamp with time zone,
  due_at timestamp with time zone,
  missing_since timestamp with time zone,
  registrar_iana_id text,
  price_cents bigint,
  floor_price_cents bigint,
  offers text,
  min_offer_cents bigint,
  constraint claims_pkey PRIMARY KEY (claim_id),
  constraint claims_user_id_domain_key UNIQUE (user_id, domain),
  constraint claims_user_id_fkey FOREIGN KEY (user_id) REFERENCES users(id),
  constraint claims_check CHECK (status <> 'verified'::text OR method IS NOT NULL AND verified_at IS NOT NULL),
  constraint claims_check1 CHECK ((price_cents IS NULL) = (floor_price_cents IS NULL) AND (price_cents IS NULL) = (offers IS NULL)),
  constraint claims_check2 CHECK (floor_price_cents <= price_cents AND min_offer_cents <= price_cents),
  constraint claims_method_check CHECK (method = ANY (ARRAY['txt'::text, 'nameservers'::text, 'registrar'::text, 'operator'::text])),
  constraint claims_status_check CHECK (status = ANY (ARRAY['pending'::text, 'verified'::text, 'lost'::text]))
);
CREATE INDEX claims_domain_idx ON claims USING btree (domain);
CREATE INDEX claims_due_idx ON claims USING btree (due_at) WHERE due_at IS NOT NULL;
CREATE UNIQUE INDEX claims_verified_idx ON claims USING btree (domain) WHERE status = 'verified'::text;

create table commission_balances (
  partner_id text not null,
  environment environment not null,
  currency text not null,
  balance_cents bigint not null,
  last_position bigint not null,
  taken_up_position bigint default 0 not null,
  constraint commission_balances_pkey PRIMARY KEY (partner_id, environment, currency),
  constraint commission_balances_partner_id_fkey FOREIGN KEY (partner_id) REFERENCES partners(id)
) with (fillfactor=50);

create table commission_entries (
  id text not null,
  transaction_id text not null,
  partner_id text not null,
  environment environment not null,
  currency text not null,
  "position" bigint not null,
  type text not null,
  kind text not null,
  amount_cents bigint not null,
  balance_cents bigint not null,
  sale_id text not null,
  payout_id text,
  payable_at timestamp with time zone,
  created_at timestamp with time zone not null,
  constraint commission_entries_pkey PRIMARY KEY (id),
  constraint commission_entries_partner_id_environment_currency_position_key UNIQUE (partner_id, environment, currency, "position"),
  constraint commission_entries_transaction_id_key UNIQUE (transaction_id),
  constraint commission_entries_partner_id_fkey FOREIGN KEY (partner_id) REFERENCES partners(id),
  constraint commission_entries_transaction_id_fkey FOREIGN KEY (transaction_id) REFERENCES ledger_transactions(id) ON DELETE CASCADE,
  constraint commission_entries_kind_check CHECK (kind = ANY (ARRAY['commission'::text, 'brokerage'::text, 'sale'::text])),
  constraint commission_entries_type_check CHECK (type = ANY (ARRAY['accrued'::text, 'pending'::text, 'paid_out'::text, 'reversed'::text]))
);
CREATE INDEX commission_entries_sale_id_idx ON commission_entries USING btree (sale_id);
CREATE TRIGGER commission_entries_append_only BEFORE DELETE OR UPDATE ON commission_entries FOR EACH ROW EXECUTE FUNCTION ledger_entry_is_append_only();
CREATE TRIGGER commission_entries_never_emptied BEFORE TRUNCATE ON commission_entries FOR EACH STATEMENT EXECUTE FUNCTION ledger_is_never_emptied();

create table credentials (
  key_id text not null,
  partner_id text not null,
  environment environment not null,
  scopes text[] not null,
  secret_sealed bytea not null,
  previous_secret_sealed bytea,
  previous_secret_expires_at timestamp with time zone,
  status text not null,
  revision integer not null,
  created_at timestamp with time zone not null,
  revoked_at timestamp with time zone,
  last_used_at timestamp with time zone,
  expires_at timestamp with time zone,
  allowed_addresses text[],
  constraint credentials_pkey PRIMARY KEY (key_id),
  constraint credentials_partner_id_fkey FOREIGN KEY (partner_id) REFERENCES partners(id),
  constraint credentials_status_check CHECK (status = ANY (ARRAY['active'::text, 'revoked'::text]))
);
CREATE INDEX credentials_partner_id_idx ON credentials USING btree (partner_id);

create table delivery_receipts (
  receipt_id text not null,
  public_id text not null,
  token text not null,
  created_at timestamp with time zone not null,
  constraint delivery_receipts_pkey PRIMARY KEY (receipt_id),
  constraint delivery_receipts_public_id_key UNIQUE (public_id),
  constraint delivery_receipts_public_id_fkey FOREIGN KEY (public_id) REFERENCES orders(public_id) ON DELETE CASCADE
);

create table disputes (
  id text not null,
  payment_id text,
  provider_ref text not null,
  amount_cents bigint not null,
  currency text not null,
  reason text not null,
  status text not null,
  withdrawn boolean not null,
  reinstated boolean not null,
  due_at timestamp with time zone,
  created_at timestamp with time zone not null,
  updated_at timestamp with time zone not null,
  charge_id text,
  constraint disputes_pkey PRIMARY KEY (id),
  constraint disputes_provider_ref_key UNIQUE (provider_ref),
  constraint disputes_charge_id_fkey FOREIGN KEY (charge_id) REFERENCES charges(id),
  constraint disputes_payment_id_fkey FOREIGN KEY (payment_id) REFERENCES payments(id) ON DELETE CASCADE,
  constraint disputes_amount_cents_check CHECK (amount_cents > 0),
  constraint disputes_check CHECK (withdrawn OR NOT reinstated),
  constraint disputes_over_one CHECK (num_nonnulls(payment_id, charge_id) = 1),
  constraint disputes_status_check CHECK (status = ANY (ARRAY['inquiry'::text, 'inquiry_closed'::text, 'needs_response'::text, 'under_review'::text, 'won'::text, 'lost'::text]))
);
CREATE INDEX disputes_charge_id_idx ON disputes USING btree (charge_id) WHERE charge_id IS NOT NULL;
CREATE INDEX disputes_payment_id_idx ON disputes USING btree (payment_id);
CREATE INDEX disputes_status_id_idx ON disputes USING btree (status, id DESC);
CREATE TRIGGER disputes_alert AFTER INSERT ON disputes FOR EACH ROW EXECUTE FUNCTION alert_of_dispute();

create table embedding_checks (
  model text not null,
  checked_with text not null,
  queries integer not null,
  recall_without double precision not null,
  recall_with double precision not null,
  better integer not null,
  worse integer not null,
  is_used boolean not null,
  checked_at timestamp with time zone not null,
  constraint embedding_checks_pkey PRIMARY KEY (model, checked_with),
  constraint embedding_checks_model_fkey FOREIGN KEY (model) REFERENCES embedding_models(model) ON DELETE CASCADE
);

create table embedding_models (
  model text not null,
  dimensions integer not null,
  centre bytea not null,
  cutoff real not null,
  created_at timestamp with time zone not null,
  constraint embedding_models_pkey PRIMARY KEY (model),
  constraint embedding_models_check CHECK (octet_length(centre) = (4 * dimensions)),
  constraint embedding_models_cutoff_check CHECK (cutoff > 0::double precision AND cutoff < 1::double precision),
  constraint embedding_models_dimensions_check CHECK (dimensions >= 8 AND dimensions <= 8192)
);

create table event_streams (
  partner_id text not null,
  environment environment not null,
  last_position bigint not null,
  constraint event_streams_pkey PRIMARY KEY (partner_id, environment),
  constraint event_streams_partner_id_fkey FOREIGN KEY (partner_id) REFERENCES partners(id)
) with (fillfactor=50);

create table events (
  id text not null,
  partner_id text not null,
  environment environment not null,
  "position" bigint not null,
  type text not null,
  data json not null,
  created_at timestamp with time zone not null,
  constraint events_pkey PRIMARY KEY (id),
  constraint events_partner_id_environment_position_key UNIQUE (partner_id, environment, "position"),
  constraint events_partner_id_fkey FOREIGN KEY (partner_id) REFERENCES partners(id)
);
CREATE INDEX events_by_subject ON events USING btree (COALESCE((data -> 'order'::text) ->> 'public_id'::text, (data -> 'case'::text) ->> 'case_id'::text));
CREATE INDEX events_partner_id_environment_type_position_idx ON events USING btree (partner_id, environment, type, "position");

create table for_sale_records (
  domain text not null,
  registrar_id text not null,
  value text not null,
  is_wanted boolean not null,
  status text not null,
  operation_id text not null,
  retry_at timestamp with time zone,
  updated_at timestamp with time zone not null,
  constraint for_sale_records_pkey PRIMARY KEY (domain),
  constraint for_sale_records_operation_id_key UNIQUE (operation_id),
  constraint for_sale_records_registrar_id_fkey FOREIGN KEY (registrar_id) REFERENCES registrars(id) ON DELETE CASCADE,
  constraint for_sale_records_check CHECK ((status = 'failed'::text) = (retry_at IS NOT NULL)),
  constraint for_sale_records_check1 CHECK (is_wanted OR status <> 'published'::text),
  constraint for_sale_records_status_check CHECK (status = ANY (ARRAY['queued'::text, 'published'::text, 'failed'::text]))
);
CREATE INDEX for_sale_records_registrar ON for_sale_records USING btree (registrar_id);

create table goodwill_refunds (
  goodwill_id text not null,
  payment_id text not null,
  amount_cents bigint not null,
  reason text not null,
  status text not null,
  requested_by text not null,
  approved_by text,
  provider_ref text,
  error text,
  attempts integer default 0 not null,
  due_at timestamp with time zone,
  created_at timestamp with time zone not null,
  updated_at timestamp with time zone not null,
  requested_by_person text,
  constraint goodwill_refunds_pkey PRIMARY KEY (goodwill_id),
  constraint goodwill_refunds_provider_ref_key UNIQUE (provider_ref),
  constraint goodwill_refunds_payment_id_fkey FOREIGN KEY (payment_id) REFERENCES payments(id) ON DELETE CASCADE,
  constraint goodwill_refunds_amount_cents_check CHECK (amount_cents > 0),
  constraint goodwill_refunds_status_check CHECK (status = ANY (ARRAY['needs_approval'::text, 'pending'::text, 'sent'::text, 'failed'::text, 'closed'::text]))
);
CREATE INDEX goodwill_refunds_due ON goodwill_refunds USING btree (due_at) WHERE due_at IS NOT NULL;
CREATE INDEX goodwill_refunds_failed ON goodwill_refunds USING btree (payment_id) WHERE status = 'failed'::text;
CREATE UNIQUE INDEX goodwill_refunds_open ON goodwill_refunds USING btree (payment_id) WHERE status = ANY (ARRAY['needs_approval'::text, 'pending'::text]);
CREATE INDEX goodwill_refunds_payment ON goodwill_refunds USING btree (payment_id);
CREATE TRIGGER goodwill_refunds_alert AFTER UPDATE OF status ON goodwill_refunds FOR EACH ROW WHEN (new.status = 'failed'::text AND old.status <> 'failed'::text) EXECUTE FUNCTION alert_of_goodwill();

create table idempotency_keys (
  subject text not null,
  method text not null,
  path text not null,
  key text not null,
  fingerprint bytea not null,
  status integer,
  body text,
  created_at timestamp with time zone not null,
  expires_at timestamp with time zone not null,
  media_type text,
  constraint idempotency_keys_pkey PRIMARY KEY (subject, method, path, key)
);
CREATE INDEX idempotency_keys_expires_at_idx ON idempotency_keys USING brin (expires_at) WITH (pages_per_range='16');

create table installation (
  name text not null,
  value text not null,
  constraint installation_pkey PRIMARY KEY (name)
);

create table invoice_counters (
  environment environment not null,
  year integer not null,
  last_seq integer not null,
  constraint invoice_counters_pkey PRIMARY KEY (environment, year)
);

create table invoices (
  invoice_id text not null,
  number text not null,
  environment environment not null,
  year integer not null,
  seq integer not null,
  kind text not null,
  credits text,
  public_id text not null,
  payment_id text not null,
  domain text not null,
  seller jsonb not null,
  buyer jsonb not null,
  net_cents bigint not null,
  tax_cents bigint not null,
  tax jsonb,
  currency text not null,
  issued_at timestamp with time zone not null,
  constraint invoices_pkey PRIMARY KEY (invoice_id),
  constraint invoices_environment_year_seq_key UNIQUE (environment, year, seq),
  constraint invoices_number_key UNIQUE (number),
  constraint invoices_payment_id_kind_key UNIQUE (payment_id, kind),
  constraint invoices_credits_fkey FOREIGN KEY (credits) REFERENCES invoices(number),
  constraint invoices_kind_check CHECK (kind = ANY (ARRAY['invoice'::text, 'credit_note'::text]))
);
CREATE INDEX invoices_public_id_idx ON invoices USING btree (public_id);

create table label_vectors (
  model text not null,
  words text not null,
  vector bytea not null,
  code bytea not null,
  changed_in xid8 default pg_current_xact_id() not null,
  constraint label_vectors_pkey PRIMARY KEY (model, words),
  constraint label_vectors_model_fkey FOREIGN KEY (model) REFERENCES embedding_models(model) ON DELETE CASCADE
);
CREATE INDEX label_vectors_changed_in ON label_vectors USING btree (changed_in);

create table ledger_entries (
  transaction_id text not null,
  account text not null,
  amount_cents bigint not null,
  constraint ledger_entries_pkey PRIMARY KEY (transaction_id, account),
  constraint ledger_entries_transaction_id_fkey FOREIGN KEY (transaction_id) REFERENCES ledger_transactions(id) ON DELETE CASCADE
);
CREATE TRIGGER ledger_entries_append_only BEFORE DELETE OR UPDATE ON ledger_entries FOR EACH ROW EXECUTE FUNCTION ledger_entry_is_append_only();
CREATE TRIGGER ledger_entries_balance AFTER INSERT ON ledger_entries REFERENCING NEW TABLE AS added FOR EACH STATEMENT EXECUTE FUNCTION ledger_must_balance();
CREATE TRIGGER ledger_entries_never_emptied BEFORE TRUNCATE ON ledger_entries FOR EACH STATEMENT EXECUTE FUNCTION ledger_is_never_emptied();

create table ledger_transactions (
  id text not null,
  environment environment not null,
  partner_id text not null,
  code text not null,
  source text not null,
  settlement_id text,
  currency text not null,
  at timestamp with time zone not null,
  constraint ledger_transactions_pkey PRIMARY KEY (id),
  constraint ledger_transactions_code_source_key UNIQUE (code, source),
  constraint ledger_transactions_partner_id_fkey FOREIGN KEY (partner_id) REFERENCES partners(id),
  constraint ledger_transactions_settlement_id_fkey FOREIGN KEY (settlement_id) REFERENCES settlements(id)
);
CREATE INDEX ledger_transactions_partner_id_environment_at_idx ON ledger_transactions USING btree (partner_id, environment, at);
CREATE INDEX ledger_transactions_settlement_id_idx ON ledger_transactions USING btree (settlement_id);
CREATE TRIGGER ledger_transactions_append_only BEFORE DELETE OR UPDATE ON ledger_transactions FOR EACH ROW EXECUTE FUNCTION ledger_is_append_only();
CREATE TRIGGER ledger_transactions_never_emptied BEFORE TRUNCATE ON ledger_transactions FOR EACH STATEMENT EXECUTE FUNCTION ledger_is_never_emptied();

create table listing_import_parts (
  import_id text not null,
  place integer not null,
  first_line integer not null,
  csv text not null,
  constraint listing_import_parts_pkey PRIMARY KEY (import_id, place),
  constraint listing_import_parts_import_id_fkey FOREIGN KEY (import_id) REFERENCES listing_imports(id) ON DELETE CASCADE
);

create table listing_import_rejections (
  import_id text not null,
  line integer not null,
  field text not null,
  issue text not null,
  "row" text not null,
  constraint listing_import_rejections_pkey PRIMARY KEY (import_id, line),
  constraint listing_import_rejections_import_id_fkey FOREIGN KEY (import_id) REFERENCES listing_imports(id) ON DELETE CASCADE
);

create table listing_imports (
  id text not null,
  environment environment not null,
  file_name text,
  status text not null,
  created_by text not null,
  created_at timestamp with time zone not null,
  updated_at timestamp with time zone not null,
  finished_at timestamp with time zone,
  total_bytes bigint,
  done_bytes bigint default 0 not null,
  rows bigint default 0 not null,
  imported bigint default 0 not null,
  created bigint default 0 not null,
  updated bigint default 0 not null,
  skipped_sold bigint default 0 not null,
  rejected_count bigint default 0 not null,
  error text,
  constraint listing_imports_pkey PRIMARY KEY (id),
  constraint listing_imports_check CHECK ((finished_at IS NOT NULL) = (status = ANY (ARRAY['done'::text, 'failed'::text]))),
  constraint listing_imports_status_check CHECK (status = ANY (ARRAY['uploading'::text, 'waiting'::text, 'running'::text, 'done'::text, 'failed'::text]))
);
CREATE INDEX listing_imports_by_status ON listing_imports USING btree (status, id DESC);

create table listing_postings (
  environment environment not null,
  key integer not null,
  cost integer not null,
  domain text not null,
  price_cents bigint not null
);
CREATE INDEX listing_postings_by_key ON listing_postings USING btree (key, cost, domain) INCLUDE (price_cents);
CREATE INDEX listing_postings_of_listing ON listing_postings USING btree (domain);

create table listing_watches (
  partner_id text not null,
  environment environment not null,
  domain text not null,
  seen_at timestamp with time zone not null,
  price_cents bigint not null,
  currency text not null,
  status text not null,
  is_due boolean default false not null,
  constraint listing_watches_pkey PRIMARY KEY (environment, domain, partner_id),
  constraint listing_watches_partner_id_fkey FOREIGN KEY (partner_id) REFERENCES partners(id)
);
CREATE INDEX listing_watches_due_idx ON listing_watches USING btree (environment, domain) WHERE is_due;
CREATE INDEX listing_watches_seen_at_idx ON listing_watches USING btree (seen_at);

create table listings (
  environment environment not null,
  domain text not null,
  label text not null,
  tld text not null,
  price_cents bigint not null,
  floor_price_cents bigint not null,
  currency text not null,
  status text not null,
  reserved_by text,
  reserved_until timestamp with time zone,
  metadata json not null,
  listed_at timestamp with time zone not null,
  updated_at timestamp with time zone not null,
  tokens text[],
  changed_in xid8 default pg_current_xact_id() not null,
  seller_id text,
  frozen_at timestamp with time zone,
  frozen_reason text,
  sells_from timestamp with time zone,
  offers text default 'open'::text not null,
  min_offer_cents bigint,
  description text,
  posting_keys integer[],
  posting_cost integer,
  constraint listings_pkey PRIMARY KEY (environment, domain),
  constraint listings_seller_id_fkey FOREIGN KEY (seller_id) REFERENCES users(id),
  constraint listings_catalogue CHECK (environment::text = 'live'::text OR status <> 'sold'::text AND reserved_by IS NULL AND reserved_until IS NULL),
  constraint listings_check CHECK (floor_price_cents >= 1 AND floor_price_cents <= price_cents),
  constraint listings_description_check CHECK (char_length(description) >= 1 AND char_length(description) <= 2000),
  constraint listings_frozen_check CHECK (frozen_at IS NULL OR status = 'delisted'::text),
  constraint listings_min_offer_cents_check CHECK (min_offer_cents > 0),
  constraint listings_offers_check CHECK (offers = ANY (ARRAY['off'::text, 'open'::text])),
  constraint listings_price_cents_check CHECK (price_cents > 0),
  constraint listings_status_check CHECK (status = ANY (ARRAY['listed'::text, 'sold'::text, 'delisted'::text]))
);
CREATE INDEX listings_by_age ON listings USING btree (environment, listed_at, domain) WHERE status = 'listed'::text;
CREATE INDEX listings_by_length ON listings USING btree (environment, char_length(label)) WHERE status = 'listed'::text;
CREATE INDEX listings_by_price ON listings USING btree (environment, price_cents, domain) WHERE status = 'listed'::text;
CREATE INDEX listings_by_tld_and_age ON listings USING btree (environment, tld, listed_at, domain) WHERE status = 'listed'::text;
CREATE INDEX listings_by_tld_and_price ON listings USING btree (environment, tld, price_cents, domain) WHERE status = 'listed'::text;
CREATE INDEX listings_changed_in ON listings USING btree (changed_in);
CREATE INDEX listings_delisted ON listings USING btree (environment, domain) WHERE status = 'delisted'::text;
CREATE INDEX listings_label ON listings USING gin (label gin_trgm_ops) WHERE status = 'listed'::text;
CREATE INDEX listings_of_seller ON listings USING btree (seller_id, domain) WHERE seller_id IS NOT NULL;
CREATE INDEX listings_off_market ON listings USING btree (environment, domain) WHERE status <> 'listed'::text;
CREATE INDEX listings_on_market ON listings USING btree (environment, domain) WHERE status = 'listed'::text;
CREATE STATISTICS listings_label_length ON char_length(label) FROM listings;

create table live_requests (
  id text not null,
  partner_id text not null,
  status text not null,
  use_case text not null,
  website text,
  requested_by text not null,
  reason text,
  created_at timestamp with time zone not null,
  decided_at timestamp with time zone,
  constraint live_requests_pkey PRIMARY KEY (id),
  constraint live_requests_partner_id_fkey FOREIGN KEY (partner_id) REFERENCES partners(id),
  constraint live_requests_check CHECK ((status = 'pending'::text) = (decided_at IS NULL)),
  constraint live_requests_status_check CHECK (status = ANY (ARRAY['pending'::text, 'approved'::text, 'declined'::text]))
);
CREATE UNIQUE INDEX live_requests_one_pending ON live_requests USING btree (partner_id) WHERE status = 'pending'::text;
CREATE INDEX live_requests_partner_id_id_idx ON live_requests USING btree (partner_id, id DESC);
CREATE INDEX live_requests_status_id_idx ON live_requests USING btree (status, id DESC);

create table mailed_links (
  token_hash bytea not null,
  user_id text not null,
  purpose text not null,
  expires_at timestamp with time zone not null,
  new_email text,
  constraint mailed_links_pkey PRIMARY KEY (token_hash),
  constraint mailed_links_user_id_fkey FOREIGN KEY (user_id) REFERENCES users(id),
  constraint mailed_links_new_email_check CHECK ((purpose = 'change_email'::text) = (new_email IS NOT NULL)),
  constraint mailed_links_purpose_check CHECK (purpose = ANY (ARRAY['reset_password'::text, 'confirm_email'::text, 'change_email'::text]))
);
CREATE INDEX mailed_links_expires_at_idx ON mailed_links USING btree (expires_at);
CREATE INDEX mailed_links_user_id_idx ON mailed_links USING btree (user_id);

create table mails (
  id text not null,
  recipient text not null,
  subject text not null,
  body text,
  created_at timestamp with time zone not null,
  due_at timestamp with time zone not null,
  attempts integer not null,
  sent_at timestamp with time zone,
  error text,
  html text,
  recipient_rejected boolean default false not null,
  constraint mails_pkey PRIMARY KEY (id)
);
CREATE INDEX mails_due ON mails USING btree (due_at) WHERE sent_at IS NULL;
CREATE INDEX mails_recipient_id_idx ON mails USING btree (recipient, id DESC);
CREATE INDEX mails_stuck ON mails USING btree (id) WHERE sent_at IS NULL AND error IS NOT NULL;

create table mandates (
  grant_id text not null,
  max_per_order_cents bigint not null,
  max_total_cents bigint not null,
  currency text not null,
  expires_at timestamp with time zone not null,
  constraint mandates_pkey PRIMARY KEY (grant_id),
  constraint mandates_grant_id_fkey FOREIGN KEY (grant_id) REFERENCES oauth_grants(id) ON DELETE CASCADE,
  constraint mandates_check CHECK (max_total_cents >= max_per_order_cents),
  constraint mandates_max_per_order_cents_check CHECK (max_per_order_cents > 0)
);

create table name_days (
  domain text not null,
  date date not null,
  page_views integer default 0 not null,
  lander_views integer default 0 not null,
  leads integer default 0 not null,
  constraint name_days_pkey PRIMARY KEY (domain, date)
);
CREATE INDEX name_days_date ON name_days USING btree (date);

create table nonces (
  key_id text not null,
  nonce text not null,
  expires_at timestamp with time zone not null,
  constraint nonces_pkey PRIMARY KEY (key_id, nonce)
);
CREATE INDEX nonces_expires_at_idx ON nonces USING brin (expires_at) WITH (pages_per_range='16');

create table oauth_clients (
  client_id text not null,
  kind text not null,
  name text not null,
  redirect_uris text[] not null,
  created_at timestamp with time zone not null,
  last_used_at timestamp with time zone not null,
  fresh_until timestamp with time zone,
  constraint oauth_clients_pkey PRIMARY KEY (client_id),
  constraint oauth_clients_kind_check CHECK (kind = ANY (ARRAY['registered'::text, 'document'::text]))
);
CREATE INDEX oauth_clients_last_used_at_idx ON oauth_clients USING btree (last_used_at);

create table oauth_codes (
  code_hash bytea not null,
  grant_id text not null,
  redirect_uri text not null,
  code_challenge text not null,
  expires_at timestamp with time zone not null,
  used_at timestamp with time zone,
  constraint oauth_codes_pkey PRIMARY KEY (code_hash),
  constraint oauth_codes_grant_id_fkey FOREIGN KEY (grant_id) REFERENCES oauth_grants(id) ON DELETE CASCADE
);
CREATE INDEX oauth_codes_grant_id_idx ON oauth_codes USING btree (grant_id);

create table oauth_grants (
  id text not null,
  client_id text not null,
  user_id text not null,
  scope text not null,
  resource text not null,
  created_at timestamp with time zone not null,
  last_used_at timestamp with time zone not null,
  revoked_at timestamp with time zone,
  constraint oauth_grants_pkey PRIMARY KEY (id),
  constraint oauth_grants_client_id_fkey FOREIGN KEY (client_id) REFERENCES oauth_clients(client_id),
  constraint oauth_grants_user_id_fkey FOREIGN KEY (user_id) REFERENCES users(id)
);
CREATE INDEX oauth_grants_client_id_idx ON oauth_grants USING btree (client_id);
CREATE INDEX oauth_grants_user_id_idx ON oauth_grants USING btree (user_id);

create table oauth_tokens (
  token_hash bytea not null,
  kind text not null,
  grant_id text not null,
  expires_at timestamp with time zone not null,
  used_at timestamp with time zone,
  scope text,
  constraint oauth_tokens_pkey PRIMARY KEY (token_hash),
  constraint oauth_tokens_grant_id_fkey FOREIGN KEY (grant_id) REFERENCES oauth_grants(id) ON DELETE CASCADE,
  constraint oauth_tokens_kind_check CHECK (kind = ANY (ARRAY['access'::text, 'refresh'::text]))
);
CREATE INDEX oauth_tokens_expires_at_idx ON oauth_tokens USING btree (expires_at);
CREATE INDEX oauth_tokens_grant_id_idx ON oauth_tokens USING btree (grant_id);

create table offers (
  offer_id text not null,
  partner_id text not null,
  environment environment not null,
  domain text not null,
  seller_id text,
  status text not null,
  turn text,
  amount_cents bigint not null,
  currency text not null,
  buyer jsonb not null,
  valid_hours integer not null,
  history jsonb not null,
  closed_by text,
  closing_message text,
  quote_id text,
  session_id text,
  buyer_hash bytea not null,
  buyer_sealed bytea not null,
  seller_hash bytea not null,
  seller_sealed bytea not null,
  created_at timestamp with time zone not null,
  updated_at timestamp with time zone not null,
  expires_at timestamp with time zone not null,
  ended_at timestamp with time zone,
  constraint offers_pkey PRIMARY KEY (offer_id),
  constraint offers_environment_domain_fkey FOREIGN KEY (environment, domain) REFERENCES listings(environment, domain),
  constraint offers_partner_id_fkey FOREIGN KEY (partner_id) REFERENCES partners(id),
  constraint offers_quote_id_fkey FOREIGN KEY (quote_id) REFERENCES quotes(id),
  constraint offers_seller_id_fkey FOREIGN KEY (seller_id) REFERENCES users(id),
  constraint offers_amount_cents_check CHECK (amount_cents > 0),
  constraint offers_check CHECK ((turn IS NULL) = (ended_at IS NOT NULL)),
  constraint offers_check1 CHECK ((status = ANY (ARRAY['open'::text, 'countered'::text])) = (ended_at IS NULL)),
  constraint offers_closed_by_check CHECK (closed_by = ANY (ARRAY['seller'::text, 'buyer'::text])),
  constraint offers_status_check CHECK (status = ANY (ARRAY['open'::text, 'countered'::text, 'accepted'::text, 'declined'::text, 'expired'::text, 'withdrawn'::text])),
  constraint offers_turn_check CHECK (turn = ANY (ARRAY['seller'::text, 'buyer'::text]))
);
CREATE INDEX offers_by_buyer ON offers USING btree (lower(buyer ->> 'email'::text), offer_id DESC);
CREATE UNIQUE INDEX offers_by_buyer_link ON offers USING btree (buyer_hash);
CREATE INDEX offers_by_partner ON offers USING btree (partner_id, environment, offer_id DESC);
CREATE INDEX offers_by_seller ON offers USING btree (seller_id, offer_id DESC) WHERE seller_id IS NOT NULL;
CREATE UNIQUE INDEX offers_by_seller_link ON offers USING btree (seller_hash);
CREATE INDEX offers_due ON offers USING btree (expires_at) WHERE ended_at IS NULL;
CREATE INDEX offers_running ON offers USING btree (environment, domain) WHERE ended_at IS NULL;

create table orders (
  public_id text not null,
  partner_id text not null,
  environment environment not null,
  domain text not null,
  status text not null,
  payment_model text not null,
  sale_price_cents bigint not null,
  currency text not null,
  commission_bps integer not null,
  commission_cents bigint not null,
  held boolean not null,
  hold_reason text,
  quote_id text,
  external_payment_ref text,
  buyer json not null,
  return_url text,
  cancel_url text,
  transfer_status text not null,
  transfer_started_at timestamp with time zone,
  transfer_completed_at timestamp with time zone,
  transfer_reason text,
  timeline jsonb not null,
  settlement_id text,
  created_at timestamp with time zone not null,
  updated_at timestamp with time zone not null,
  checkout_session_id text,
  link_id text,
  seller_id text,
  seller_cents bigint,
  seller_hold_days integer,
  disputed boolean default false not null,
  delivery jsonb default '{"method": "auth_code", "account": null, "registrar_iana_id": null}'::jsonb not null,
  transfer_number integer default 0 not null,
  transfer_registrar jsonb,
  transfer_connection text,
  transfer_code bytea,
  code_available_at timestamp with time zone,
  expected_by timestamp with time zone,
  transfer_checked_at timestamp with time zone,
  submitted_at timestamp with time zone,
  stalled_at timestamp with time zone,
  transfer_proof jsonb,
  transfer_registry jsonb,
  receipt_id text,
  code_reminded_at timestamp with time zone,
  constraint orders_pkey PRIMARY KEY (public_id),
  constraint orders_checkout_session_id_fkey FOREIGN KEY (checkout_session_id) REFERENCES checkout_sessions(id),
  constraint orders_environment_domain_fkey FOREIGN KEY (environment, domain) REFERENCES listings(environment, domain),
  constraint orders_link_id_fkey FOREIGN KEY (link_id) REFERENCES referral_links(id),
  constraint orders_partner_id_fkey FOREIGN KEY (partner_id) REFERENCES partners(id),
  constraint orders_quote_id_fkey FOREIGN KEY (quote_id) REFERENCES quotes(id),
  constraint orders_seller_id_fkey FOREIGN KEY (seller_id) REFERENCES users(id),
  constraint orders_settlement_id_fkey FOREIGN KEY (settlement_id) REFERENCES settlements(id),
  constraint orders_check CHECK (commission_cents >= 0 AND commission_cents <= sale_price_cents),
  constraint orders_check1 CHECK (seller_cents >= 0 AND seller_cents <= sale_price_cents),
  constraint orders_payment_model_check CHECK (payment_model = ANY (ARRAY['partner_collected'::text, 'hosted_checkout'::text])),
  constraint orders_sale_price_cents_check CHECK (sale_price_cents > 0),
  constraint orders_status_check CHECK (status = ANY (ARRAY['EXTERNALLY_PAID'::text, 'PAID'::text, 'TRANSFER_IN_PROGRESS'::text, 'TRANSFER_COMPLETED'::text, 'SETTLED'::text, 'REFUNDED'::text, 'CANCELLED'::text])),
  constraint orders_transfer_status_check CHECK (transfer_status = ANY (ARRAY['pending'::text, 'in_progress'::text, 'action_required'::text, 'failed'::text, 'completed'::text, 'cancelled'::text]))
);
CREATE INDEX orders_action_required ON orders USING btree (environment) WHERE transfer_status = 'action_required'::text;
CREATE INDEX orders_by_buyer ON orders USING btree (lower(buyer ->> 'email'::text), public_id DESC) WHERE payment_model = 'hosted_checkout'::text;
CREATE INDEX orders_by_link ON orders USING btree (link_id, public_id DESC) WHERE link_id IS NOT NULL;
CREATE INDEX orders_by_status ON orders USING btree (partner_id, environment, status, created_at, public_id);
CREATE INDEX orders_by_time ON orders USING btree (partner_id, environment, created_at, public_id);
CREATE INDEX orders_ended ON orders USING btree (environment, domain) WHERE status = ANY (ARRAY['REFUNDED'::text, 'CANCELLED'::text, 'TRANSFER_COMPLETED'::text, 'SETTLED'::text]);
CREATE INDEX orders_environment_status_public_id_idx ON orders USING btree (environment, status, public_id DESC);
CREATE INDEX orders_held ON orders USING btree (environment, public_id) WHERE held;
CREATE INDEX orders_hosted ON orders USING btree (partner_id, environment, created_at, public_id) WHERE payment_model = 'hosted_checkout'::text;
CREATE INDEX orders_in_transfer ON orders USING btree (transfer_checked_at NULLS FIRST) WHERE status = 'TRANSFER_IN_PROGRESS'::text;
CREATE INDEX orders_of_seller ON orders USING btree (seller_id, public_id) WHERE seller_id IS NOT NULL;
CREATE UNIQUE INDEX orders_one_a_session ON orders USING btree (checkout_session_id);
CREATE UNIQUE INDEX orders_one_sale ON orders USING btree (environment, domain, (
CASE environment
    WHEN 'sandbox'::text THEN partner_id
    ELSE ''::text
END)) WHERE status <> ALL (ARRAY['REFUNDED'::text, 'CANCELLED'::text, 'TRANSFER_COMPLETED'::text, 'SETTLED'::text]);
CREATE INDEX orders_partner_id_environment_domain_idx ON orders USING btree (partner_id, environment, domain);
CREATE INDEX orders_partner_id_environment_status_public_id_idx ON orders USING btree (partner_id, environment, status, public_id DESC);
CREATE UNIQUE INDEX orders_payment_ref ON orders USING btree (partner_id, environment, external_payment_ref);
CREATE INDEX orders_referred_by_time ON orders USING btree (partner_id, environment, created_at, public_id) WHERE link_id IS NOT NULL;
CREATE INDEX orders_settlement_id_idx ON orders USING btree (settlement_id) WHERE settlement_id IS NOT NULL;
CREATE INDEX orders_without_receipt ON orders USING btree (public_id) WHERE receipt_id IS NULL AND (status = ANY (ARRAY['TRANSFER_COMPLETED'::text, 'SETTLED'::text]));
CREATE TRIGGER orders_alert_held AFTER UPDATE OF held ON orders FOR EACH ROW WHEN (new.held AND NOT old.held) EXECUTE FUNCTION alert_of_order();
CREATE TRIGGER orders_alert_new AFTER INSERT ON orders FOR EACH ROW EXECUTE FUNCTION alert_of_order();
CREATE TRIGGER orders_alert_stalled AFTER UPDATE OF stalled_at ON orders FOR EACH ROW WHEN (new.stalled_at IS NOT NULL AND old.stalled_at IS NULL) EXECUTE FUNCTION alert_of_order();

create table owned_domains (
  domain text not null,
  user_id text not null,
  locked boolean not null,
  auto_renew boolean not null,
  privacy boolean not null,
  nameservers text[] not null,
  expires_at timestamp with time zone,
  created_at timestamp with time zone not null,
  updated_at timestamp with time zone not null,
  constraint owned_domains_pkey PRIMARY KEY (domain),
  constraint owned_domains_user_id_fkey FOREIGN KEY (user_id) REFERENCES users(id)
);
CREATE INDEX owned_domains_expiry ON owned_domains USING btree (expires_at);
CREATE INDEX owned_domains_user_id_domain_idx ON owned_domains USING btree (user_id, domain);

create table partner_invitations (
  id text not null,
  partner_id text not null,
  email text not null,
  token_hash bytea not null,
  invited_by text not null,
  created_at timestamp with time zone not null,
  expires_at timestamp with time zone not null,
  ended_at timestamp with time zone,
  constraint partner_invitations_pkey PRIMARY KEY (id),
  constraint partner_invitations_token_hash_key UNIQUE (token_hash),
  constraint partner_invitations_invited_by_fkey FOREIGN KEY (invited_by) REFERENCES users(id),
  constraint partner_invitations_partner_id_fkey FOREIGN KEY (partner_id) REFERENCES partners(id),
  constraint partner_invitations_email_check CHECK (email = lower(email))
);
CREATE INDEX partner_invitations_expires_at_idx ON partner_invitations USING btree (expires_at);
CREATE UNIQUE INDEX partner_invitations_open ON partner_invitations USING btree (partner_id, email) WHERE ended_at IS NULL;
CREATE INDEX partner_invitations_partner_id_expires_at_idx ON partner_invitations USING btree (partner_id, expires_at);

create table partners (
  id text not null,
  name text not null,
  email text not null,
  status text not null,
  live_approved_at timestamp with time zone,
  partner_collected_bps integer not null,
  created_at timestamp with time zone not null,
  brokerage_bps integer default 1000 not null,
  hosted_checkout_bps integer not null,
  referral_bps integer not null,
  user_id text,
  delivery jsonb,
  credit_limit_cents bigint,
  orders_per_hour integer,
  brand jsonb,
  constraint partners_pkey PRIMARY KEY (id),
  constraint partners_user_id_key UNIQUE (user_id),
  constraint partners_user_id_fkey FOREIGN KEY (user_id) REFERENCES users(id),
  constraint partners_brokerage_bps_check CHECK (brokerage_bps >= 0 AND brokerage_bps <= 10000),
  constraint partners_hosted_checkout_bps_check CHECK (hosted_checkout_bps >= 0 AND hosted_checkout_bps <= 10000),
  constraint partners_partner_collected_bps_check CHECK (partner_collected_bps >= 0 AND partner_collected_bps <= 10000),
  constraint partners_referral_bps_check CHECK (referral_bps >= 0 AND referral_bps <= 10000),
  constraint partners_status_check CHECK (status = ANY (ARRAY['active'::text, 'suspended'::text]))
);
CREATE INDEX partners_email ON partners USING gin (email gin_trgm_ops);
CREATE INDEX partners_name ON partners USING gin (name gin_trgm_ops);
CREATE INDEX partners_suspended ON partners USING btree (id DESC) WHERE status = 'suspended'::text;

create table payees (
  payee_id text not null,
  partner_id text not null,
  details bytea,
  name text not null,
  country text not null,
  currency text not null,
  account_last4 text not null,
  created_at timestamp with time zone not null,
  usable_from timestamp with time zone,
  created_by text not null,
  rail text default 'file'::text not null,
  account_id text,
  constraint payees_pkey PRIMARY KEY (payee_id),
  constraint payees_account_id_key UNIQUE (account_id),
  constraint payees_partner_id_fkey FOREIGN KEY (partner_id) REFERENCES partners(id),
  constraint payees_details CHECK ((rail = 'file'::text) = (details IS NOT NULL)),
  constraint payees_file_usable CHECK (rail <> 'file'::text OR usable_from IS NOT NULL),
  constraint payees_rail_check CHECK (rail = ANY (ARRAY['file'::text, 'stripe'::text]))
);
CREATE INDEX payees_partner_id_idx ON payees USING btree (partner_id, payee_id DESC);
CREATE INDEX payees_unready ON payees USING btree (created_at) WHERE usable_from IS NULL;

create table payment_methods (
  id text not null,
  user_id text not null,
  provider text not null,
  status text not null,
  setup_ref text,
  customer_ref text,
  method_ref text,
  label text,
  created_at timestamp with time zone not null,
  updated_at timestamp with time zone not null,
  forget_due_at timestamp with time zone,
  constraint payment_methods_pkey PRIMARY KEY (id),
  constraint payment_methods_user_id_fkey FOREIGN KEY (user_id) REFERENCES users(id),
  constraint payment_methods_status_check CHECK (status = ANY (ARRAY['pending'::text, 'active'::text, 'removed'::text]))
);
CREATE UNIQUE INDEX payment_methods_one_each ON payment_methods USING btree (user_id) WHERE status = 'active'::text;
CREATE INDEX payment_methods_pending ON payment_methods USING btree (created_at) WHERE status = 'pending'::text;
CREATE INDEX payment_methods_to_forget ON payment_methods USING btree (forget_due_at) WHERE forget_due_at IS NOT NULL;

create table payments (
  id text not null,
  session_id text not null,
  partner_id text not null,
  environment environment not null,
  provider text not null,
  provider_ref text,
  amount_cents bigint not null,
  currency text not null,
  status text not null,
  reason text,
  refund_ref text,
  public_id text,
  due_at timestamp with time zone,
  attempts integer default 0 not null,
  created_at timestamp with time zone not null,
  updated_at timestamp with time zone not null,
  refund_round integer default 1 not null,
  refund_note text,
  refund_cents bigint,
  registrant jsonb,
  tax_cents bigint default 0 not null,
  tax jsonb,
  payment_method_id text,
  card text,
  constraint payments_pkey PRIMARY KEY (id),
  constraint payments_partner_id_fkey FOREIGN KEY (partner_id) REFERENCES partners(id),
  constraint payments_payment_method_id_fkey FOREIGN KEY (payment_method_id) REFERENCES payment_methods(id),
  constraint payments_amount_cents_check CHECK (amount_cents > 0),
  constraint payments_refund_cents_check CHECK (refund_cents > 0),
  constraint payments_status_check CHECK (status = ANY (ARRAY['started'::text, 'action_required'::text, 'processing'::text, 'succeeded'::text, 'failed'::text, 'refund_due'::text, 'refunded'::text, 'refund_failed'::text, 'disputed'::text, 'charged_back'::text]))
);
CREATE INDEX payments_by_partner ON payments USING btree (partner_id, environment);
CREATE INDEX payments_by_registrant ON payments USING btree (lower(registrant ->> 'email'::text)) WHERE registrant IS NOT NULL;
CREATE INDEX payments_by_status ON payments USING btree (status, id DESC);
CREATE INDEX payments_due ON payments USING btree (due_at) WHERE due_at IS NOT NULL;
CREATE UNIQUE INDEX payments_one_an_order ON payments USING btree (public_id);
CREATE UNIQUE INDEX payments_provider_ref ON payments USING btree (provider, provider_ref);
CREATE INDEX payments_session_id_id_idx ON payments USING btree (session_id, id DESC);
CREATE TRIGGER payments_alert_refund AFTER UPDATE OF status ON payments FOR EACH ROW WHEN (new.status = 'refund_failed'::text AND old.status <> 'refund_failed'::text) EXECUTE FUNCTION alert_of_refund();

create table payout_batches (
  batch_id text not null,
  environment environment not null,
  format text not null,
  payout_count integer not null,
  file bytea,
  created_at timestamp with time zone not null,
  created_by text not null,
  constraint payout_batches_pkey PRIMARY KEY (batch_id),
  constraint payout_batches_format_check CHECK (format = ANY (ARRAY['pain.001'::text, 'csv'::text]))
);

create table payout_lines (
  payout_id text not null,
  entry_id text not null,
  active boolean not null,
  constraint payout_lines_pkey PRIMARY KEY (payout_id, entry_id),
  constraint payout_lines_entry_id_fkey FOREIGN KEY (entry_id) REFERENCES commission_entries(id),
  constraint payout_lines_payout_id_fkey FOREIGN KEY (payout_id) REFERENCES payouts(id)
);
CREATE INDEX payout_lines_given_back ON payout_lines USING btree (entry_id) WHERE NOT active;
CREATE UNIQUE INDEX payout_lines_one_each ON payout_lines USING btree (entry_id) WHERE active;

create table payouts (
  id text not null,
  partner_id text not null,
  environment environment not null,
  currency text not null,
  kind text not null,
  amount_cents bigint not null,
  status text not null,
  reason text,
  created_at timestamp with time zone not null,
  updated_at timestamp with time zone not null,
  paid_at timestamp with time zone,
  batch_id text,
  created_by text,
  approved_by text,
  approved_at timestamp with time zone,
  transfer_ref text,
  attempts integer default 0 not null,
  due_at timestamp with time zone,
  created_by_person text,
  constraint payouts_pkey PRIMARY KEY (id),
  constraint payouts_transfer_ref_key UNIQUE (transfer_ref),
  constraint payouts_batch_id_fkey FOREIGN KEY (batch_id) REFERENCES payout_batches(batch_id),
  constraint payouts_partner_id_fkey FOREIGN KEY (partner_id) REFERENCES partners(id),
  constraint payouts_amount_cents_check CHECK (amount_cents > 0),
  constraint payouts_kind_check CHECK (kind = ANY (ARRAY['commission'::text, 'brokerage'::text, 'sale'::text])),
  constraint payouts_status_check CHECK (status = ANY (ARRAY['pending'::text, 'processing'::text, 'paid'::text, 'failed'::text, 'canceled'::text]))
);
CREATE INDEX payouts_batch_id_idx ON payouts USING btree (batch_id) WHERE batch_id IS NOT NULL;
CREATE INDEX payouts_by_status ON payouts USING btree (environment, status, id DESC);
CREATE INDEX payouts_due ON payouts USING btree (due_at) WHERE due_at IS NOT NULL;
CREATE INDEX payouts_of_partner_by_status ON payouts USING btree (partner_id, environment, status, id DESC);
CREATE INDEX payouts_partner_id_environment_id_idx ON payouts USING btree (partner_id, environment, id DESC);
CREATE TRIGGER payouts_alert_failed AFTER UPDATE OF status ON payouts FOR EACH ROW WHEN (new.status = 'failed'::text AND old.status <> 'failed'::text) EXECUTE FUNCTION alert_of_payout();

create table personal_tokens (
  id text not null,
  token_hash bytea not null,
  user_id text not null,
  label text not null,
  created_at timestamp with time zone not null,
  last_used_at timestamp with time zone,
  scopes text default 'pricing:read domains:manage'::text not null,
  expires_at timestamp with time zone,
  constraint personal_tokens_pkey PRIMARY KEY (id),
  constraint personal_tokens_token_hash_key UNIQUE (token_hash),
  constraint personal_tokens_user_id_fkey FOREIGN KEY (user_id) REFERENCES users(id)
);
CREATE INDEX personal_tokens_user_id_idx ON personal_tokens USING btree (user_id);

create table presence_checks (
  token_hash bytea not null,
  user_id text not null,
  challenge text not null,
  expires_at timestamp with time zone not null,
  constraint presence_checks_pkey PRIMARY KEY (token_hash),
  constraint presence_checks_user_id_fkey FOREIGN KEY (user_id) REFERENCES users(id)
);
CREATE INDEX presence_checks_expires_at_idx ON presence_checks USING btree (expires_at);

create table promised_domains (
  domain text not null,
  email text not null,
  expires_at timestamp with time zone,
  created_at timestamp with time zone not null,
  constraint promised_domains_pkey PRIMARY KEY (domain),
  constraint promised_domains_email_check CHECK (email = lower(email))
);
CREATE INDEX promised_domains_email_idx ON promised_domains USING btree (email);

create table quotes (
  id text not null,
  partner_id text not null,
  environment environment not null,
  domain text not null,
  price_cents bigint not null,
  currency text not null,
  status text not null,
  created_at timestamp with time zone not null,
  expires_at timestamp with time zone not null,
  offer_id text,
  token_sha256 text,
  constraint quotes_pkey PRIMARY KEY (id),
  constraint quotes_environment_domain_fkey FOREIGN KEY (environment, domain) REFERENCES listings(environment, domain),
  constraint quotes_partner_id_fkey FOREIGN KEY (partner_id) REFERENCES partners(id),
  constraint quotes_status_check CHECK (status = ANY (ARRAY['active'::text, 'consumed'::text, 'released'::text]))
);
CREATE INDEX quotes_by_status ON quotes USING btree (partner_id, environment, status, id DESC);
CREATE INDEX quotes_of_offers ON quotes USING btree (partner_id, environment, id DESC) WHERE offer_id IS NOT NULL;
CREATE INDEX quotes_partner_id_environment_domain_idx ON quotes USING btree (partner_id, environment, domain);
CREATE INDEX quotes_partner_id_environment_id_idx ON quotes USING btree (partner_id, environment, id DESC);

create unlogged table rate_windows (
  subject text not null,
  used integer not null,
  ends_at timestamp with time zone not null,
  constraint rate_windows_pkey PRIMARY KEY (subject)
) with (fillfactor=50);

create table rdap_bootstrap (
  publication timestamp with time zone not null,
  body text not null,
  fetched_at timestamp with time zone not null,
  constraint rdap_bootstrap_pkey PRIMARY KEY (publication)
);

create table recovery_codes (
  user_id text not null,
  code_hash bytea not null,
  used_at timestamp with time zone,
  constraint recovery_codes_pkey PRIMARY KEY (user_id, code_hash),
  constraint recovery_codes_user_id_fkey FOREIGN KEY (user_id) REFERENCES users(id)
);

create table referral_days (
  partner_id text not null,
  environment environment not null,
  date date not null,
  link_id text not null,
  clicks bigint default 0 not null,
  unique_clicks bigint default 0 not null,
  bots bigint default 0 not null,
  checkouts bigint default 0 not null,
  sales bigint default 0 not null,
  gmv_cents bigint default 0 not null,
  commission_cents bigint default 0 not null,
  constraint referral_days_pkey PRIMARY KEY (partner_id, environment, date, link_id),
  constraint referral_days_link_id_fkey FOREIGN KEY (link_id) REFERENCES referral_links(id)
) with (fillfactor=70);
CREATE INDEX referral_days_link_id_idx ON referral_days USING btree (link_id);

create table referral_links (
  id text not null,
  partner_id text not null,
  environment environment not null,
  code text not null,
  type text not null,
  domain text,
  product text,
  destination text not null,
  label text,
  created_at timestamp with time zone not null,
  constraint referral_links_pkey PRIMARY KEY (id),
  constraint referral_links_code_key UNIQUE (code),
  constraint referral_links_partner_id_fkey FOREIGN KEY (partner_id) REFERENCES partners(id),
  constraint referral_links_type_check CHECK (type = ANY (ARRAY['generic'::text, 'domain'::text, 'product'::text]))
);
CREATE INDEX referral_links_partner_id_environment_id_idx ON referral_links USING btree (partner_id, environment, id DESC);

create table referral_totals (
  partner_id text not null,
  environment environment not null,
  date date not null,
  clicks bigint default 0 not null,
  unique_clicks bigint default 0 not null,
  bots bigint default 0 not null,
  checkouts bigint default 0 not null,
  sales bigint default 0 not null,
  gmv_cents bigint default 0 not null,
  commission_cents bigint default 0 not null,
  constraint referral_totals_pkey PRIMARY KEY (partner_id, environment, date),
  constraint referral_totals_partner_id_fkey FOREIGN KEY (partner_id) REFERENCES partners(id)
) with (fillfactor=50);

create table referral_visitors (
  partner_id text not null,
  environment environment not null,
  date date not null,
  visitor bytea not null,
  constraint referral_visitors_pkey PRIMARY KEY (partner_id, environment, date, visitor)
);
CREATE INDEX referral_visitors_date_idx ON referral_visitors USING btree (date);

create table refund_requests (
  public_id text not null,
  requested_by text not null,
  requested_at timestamp with time zone not null,
  requested_by_person text,
  constraint refund_requests_pkey PRIMARY KEY (public_id),
  constraint refund_requests_public_id_fkey FOREIGN KEY (public_id) REFERENCES orders(public_id) ON DELETE CASCADE
);

create table refunds (
  id text not null,
  public_id text not null,
  amount_cents bigint not null,
  currency text not null,
  reason text not null,
  note text,
  requested_by text not null,
  created_at timestamp with time zone not null,
  constraint refunds_pkey PRIMARY KEY (id),
  constraint refunds_public_id_fkey FOREIGN KEY (public_id) REFERENCES orders(public_id),
  constraint refunds_requested_by_check CHECK (requested_by = ANY (ARRAY['partner'::text, 'operator'::text, 'buyer'::text]))
);
CREATE UNIQUE INDEX refunds_one_each ON refunds USING btree (public_id);

create table registrar_domains (
  domain text not null,
  registrar_id text not null,
  expires_at timestamp with time zone,
  locked boolean,
  privacy boolean,
  nameservers text[] not null,
  statuses text[] not null,
  read_at timestamp with time zone not null,
  hosts_zone boolean,
  constraint registrar_domains_pkey PRIMARY KEY (domain),
  constraint registrar_domains_registrar_id_fkey FOREIGN KEY (registrar_id) REFERENCES registrars(id) ON DELETE CASCADE
);
CREATE INDEX registrar_domains_registrar ON registrar_domains USING btree (registrar_id, domain);

create table registrar_messages (
  registrar_id text not null,
  message_id text not null,
  domain text,
  kind text not null,
  text text not null,
  queued_at timestamp with time zone,
  received_at timestamp with time zone not null,
  acknowledged_at timestamp with time zone,
  constraint registrar_messages_pkey PRIMARY KEY (registrar_id, message_id),
  constraint registrar_messages_registrar_id_fkey FOREIGN KEY (registrar_id) REFERENCES registrars(id) ON DELETE CASCADE
);

create table registrar_operations (
  operation_id text not null,
  environment environment not null,
  domain text not null,
  op text not null,
  registrar text not null,
  registrar_id text,
  params jsonb not null,
  secret bytea,
  source text,
  public_id text,
  user_id text,
  status text not null,
  attempts integer default 0 not null,
  error jsonb,
  result jsonb,
  due_at timestamp with time zone,
  lease text,
  leased_until timestamp with time zone,
  created_at timestamp with time zone not null,
  updated_at timestamp with time zone not null,
  finished_at timestamp with time zone,
  protection_removed boolean default false not null,
  constraint registrar_operations_pkey PRIMARY KEY (operation_id),
  constraint registrar_operations_source_key UNIQUE (source),
  constraint registrar_operations_registrar_id_fkey FOREIGN KEY (registrar_id) REFERENCES registrars(id) ON DELETE SET NULL,
  constraint registrar_operations_user_id_fkey FOREIGN KEY (user_id) REFERENCES users(id),
  constraint registrar_operations_check CHECK ((status = ANY (ARRAY['succeeded'::text, 'failed'::text])) = (finished_at IS NOT NULL)),
  constraint registrar_operations_status_check CHECK (status = ANY (ARRAY['queued'::text, 'running'::text, 'succeeded'::text, 'failed'::text, 'unknown'::text]))
);
CREATE INDEX registrar_operations_domain ON registrar_operations USING btree (domain, operation_id DESC);
CREATE INDEX registrar_operations_due ON registrar_operations USING btree (due_at) WHERE finished_at IS NULL;
CREATE INDEX registrar_operations_unfinished ON registrar_operations USING btree (domain, operation_id) WHERE finished_at IS NULL;

create table registrar_sync_domains (
  sync_id text not null,
  domain text not null,
  outcome text default 'pending'::text not null,
  attempts integer default 0 not null,
  constraint registrar_sync_domains_pkey PRIMARY KEY (sync_id, domain),
  constraint registrar_sync_domains_sync_id_fkey FOREIGN KEY (sync_id) REFERENCES registrar_syncs(sync_id) ON DELETE CASCADE,
  constraint registrar_sync_domains_outcome_check CHECK (outcome = ANY (ARRAY['pending'::text, 'found'::text, 'missing'::text, 'failed'::text]))
);
CREATE INDEX registrar_sync_domains_pending ON registrar_sync_domains USING btree (sync_id, attempts, domain) WHERE outcome = 'pending'::text;

create table registrar_syncs (
  sync_id text not null,
  registrar_id text not null,
  status text not null,
  total integer not null,
  found integer default 0 not null,
  missing integer default 0 not null,
  failed integer default 0 not null,
  problem text,
  created_at timestamp with time zone not null,
  finished_at timestamp with time zone,
  constraint registrar_syncs_pkey PRIMARY KEY (sync_id),
  constraint registrar_syncs_registrar_id_fkey FOREIGN KEY (registrar_id) REFERENCES registrars(id) ON DELETE CASCADE,
  constraint registrar_syncs_status_check CHECK (status = ANY (ARRAY['running'::text, 'done'::text, 'failed'::text]))
);

create table registrars (
  id text not null,
  name text not null,
  driver text not null,
  tlds text[] not null,
  config bytea not null,
  created_at timestamp with time zone not null,
  updated_at timestamp with time zone not null,
  publishes_for_sale boolean default false not null,
  constraint registrars_pkey PRIMARY KEY (id),
  constraint registrars_name_key UNIQUE (name)
);

create unlogged table registry_answers (
  domain text not null,
  state text not null,
  source text not null,
  record json,
  checked_at timestamp with time zone not null,
  expires_at timestamp with time zone not null,
  reason text,
  constraint registry_answers_pkey PRIMARY KEY (domain),
  constraint registry_answers_source_check CHECK (source = ANY (ARRAY['rdap'::text, 'whois'::text])),
  constraint registry_answers_state_check CHECK (state = ANY (ARRAY['available'::text, 'registered'::text, 'reserved'::text, 'premium'::text, 'unknown'::text]))
);
CREATE INDEX registry_answers_expires_at_idx ON registry_answers USING btree (expires_at);

create table renewals (
  id text not null,
  domain text not null,
  user_id text not null,
  years integer not null,
  price_cents bigint,
  currency text not null,
  status text not null,
  created_at timestamp with time zone not null,
  charge_id text,
  automatic boolean not null,
  from_expires_at timestamp with time zone,
  reason text,
  registrar_id text,
  constraint renewals_pkey PRIMARY KEY (id),
  constraint renewals_charge_id_fkey FOREIGN KEY (charge_id) REFERENCES charges(id),
  constraint renewals_registrar_id_fkey FOREIGN KEY (registrar_id) REFERENCES registrars(id) ON DELETE SET NULL,
  constraint renewals_user_id_fkey FOREIGN KEY (user_id) REFERENCES users(id),
  constraint renewals_price_cents_check CHECK (price_cents > 0),
  constraint renewals_status_check CHECK (status = ANY (ARRAY['due'::text, 'renewed'::text, 'paid'::text, 'failed'::text, 'refunded'::text])),
  constraint renewals_years_check CHECK (years >= 1 AND years <= 20)
);
CREATE INDEX renewals_automatic ON renewals USING btree (domain, created_at) WHERE automatic;
CREATE INDEX renewals_charge_id_idx ON renewals USING btree (charge_id);
CREATE INDEX renewals_done ON renewals USING btree (domain, from_expires_at) WHERE status = ANY (ARRAY['renewed'::text, 'paid'::text]);
CREATE UNIQUE INDEX renewals_one_under_way ON renewals USING btree (domain) WHERE status = 'due'::text AND charge_id IS NOT NULL;
CREATE INDEX renewals_user_id_id_idx ON renewals USING btree (user_id, id);

create table request_log (
  id text not null,
  partner_id text not null,
  environment environment not null,
  key_id text not null,
  method text not null,
  route text,
  target text not null,
  status integer not null,
  code text,
  message text,
  authenticated boolean not null,
  canonical_string text,
  likely_cause text,
  address text not null,
  duration_ms real not null,
  at timestamp with time zone not null,
  constraint request_log_pkey PRIMARY KEY (id)
);
CREATE INDEX request_log_by_code ON request_log USING btree (partner_id, environment, code, id DESC) WHERE code IS NOT NULL;
CREATE INDEX request_log_by_key ON request_log USING btree (partner_id, environment, key_id, id DESC);
CREATE INDEX request_log_by_route ON request_log USING btree (partner_id, environment, route, id DESC);
CREATE INDEX request_log_partner_id_environment_id_idx ON request_log USING btree (partner_id, environment, id DESC);
CREATE INDEX request_log_refused ON request_log USING btree (partner_id, environment, id DESC) WHERE code IS NOT NULL;

create table sale_days (
  partner_id text not null,
  environment environment not null,
  date date not null,
  payment_model text not null,
  status text not null,
  currency text not null,
  count bigint not null,
  gmv_cents bigint not null,
  commission_cents bigint not null,
  constraint sale_days_pkey PRIMARY KEY (partner_id, environment, date, payment_model, status, currency),
  constraint sale_days_partner_id_fkey FOREIGN KEY (partner_id) REFERENCES partners(id)
) with (fillfactor=70);
CREATE INDEX sale_days_by_date ON sale_days USING btree (environment, date);

create table sandbox_listings (
  partner_id text not null,
  environment environment default 'sandbox'::text not null,
  domain text not null,
  status text not null,
  price_cents bigint,
  moved_from_cents bigint,
  reserved_by text,
  reserved_until timestamp with time zone,
  updated_at timestamp with time zone not null,
  constraint sandbox_listings_pkey PRIMARY KEY (partner_id, domain),
  constraint sandbox_listings_environment_domain_fkey FOREIGN KEY (environment, domain) REFERENCES listings(environment, domain),
  constraint sandbox_listings_partner_id_fkey FOREIGN KEY (partner_id) REFERENCES partners(id),
  constraint sandbox_listings_check CHECK ((price_cents IS NULL) = (moved_from_cents IS NULL)),
  constraint sandbox_listings_environment_check CHECK (environment::text = 'sandbox'::text),
  constraint sandbox_listings_price_cents_check CHECK (price_cents > 0),
  constraint sandbox_listings_status_check CHECK (status = ANY (ARRAY['listed'::text, 'sold'::text]))
);

create table scheduled_jobs (
  name text not null,
  due_at timestamp with time zone not null,
  lease text,
  leased_until timestamp with time zone,
  finished_at timestamp with time zone,
  error text,
  started_at timestamp with time zone,
  duration_ms bigint,
  constraint scheduled_jobs_pkey PRIMARY KEY (name)
);
CREATE TRIGGER scheduled_jobs_alert AFTER UPDATE OF error ON scheduled_jobs FOR EACH ROW WHEN (new.error IS NOT NULL AND new.finished_at IS NOT NULL) EXECUTE FUNCTION alert_of_job();

create table second_factors (
  factor_id text not null,
  user_id text not null,
  kind text not null,
  label text not null,
  secret bytea,
  last_step bigint,
  credential_id text,
  public_key bytea,
  counter bigint,
  transports text,
  confirmed_at timestamp with time zone,
  created_at timestamp with time zone not null,
  last_used_at timestamp with time zone,
  constraint second_factors_pkey PRIMARY KEY (factor_id),
  constraint second_factors_credential_id_key UNIQUE (credential_id),
  constraint second_factors_user_id_fkey FOREIGN KEY (user_id) REFERENCES users(id),
  constraint second_factors_kind_check CHECK (kind = ANY (ARRAY['totp'::text, 'passkey'::text]))
);
CREATE INDEX second_factors_user_id_idx ON second_factors USING btree (user_id);

create table sessions (
  id text not null,
  token_hash bytea not null,
  user_id text not null,
  user_agent text not null,
  address text not null,
  created_at timestamp with time zone not null,
  last_seen_at timestamp with time zone not null,
  expires_at timestamp with time zone not null,
  confirmed_at timestamp with time zone not null,
  constraint sessions_pkey PRIMARY KEY (id),
  constraint sessions_token_hash_key UNIQUE (token_hash),
  constraint sessions_user_id_fkey FOREIGN KEY (user_id) REFERENCES users(id)
);
CREATE INDEX sessions_expires_at_idx ON sessions USING btree (expires_at);
CREATE INDEX sessions_user_id_idx ON sessions USING btree (user_id);

create table settlement_receipts (
  receipt_id text not null,
  settlement_id text not null,
  partner_id text not null,
  environment environment not null,
  currency text not null,
  amount_cents bigint not null,
  reference text not null,
  received_at timestamp with time zone not null,
  created_at timestamp with time zone not null,
  constraint settlement_receipts_pkey PRIMARY KEY (receipt_id),
  constraint settlement_receipts_partner_id_reference_key UNIQUE (partner_id, reference),
  constraint settlement_receipts_partner_id_fkey FOREIGN KEY (partner_id) REFERENCES partners(id),
  constraint settlement_receipts_settlement_id_fkey FOREIGN KEY (settlement_id) REFERENCES settlements(id),
  constraint settlement_receipts_amount_cents_check CHECK (amount_cents > 0)
);
CREATE INDEX settlement_receipts_settlement_id_idx ON settlement_receipts USING btree (settlement_id);

create table settlements (
  id text not null,
  partner_id text not null,
  environment environment not null,
  currency text not null,
  status text not null,
  period_start timestamp with time zone not null,
  period_end timestamp with time zone,
  order_count bigint,
  gross_sold_cents bigint,
  commission_retained_cents bigint,
  refunded_cents bigint,
  received_cents bigint default 0 not null,
  due_at timestamp with time zone,
  reminded_at timestamp with time zone,
  constraint settlements_pkey PRIMARY KEY (id),
  constraint settlements_partner_id_fkey FOREIGN KEY (partner_id) REFERENCES partners(id),
  constraint settlements_check CHECK ((status = 'closed'::text) = (period_end IS NOT NULL)),
  constraint settlements_check1 CHECK (num_nulls(order_count, gross_sold_cents, commission_retained_cents, refunded_cents) = ANY (ARRAY[0, 4])),
  constraint settlements_check2 CHECK (status = 'closed'::text OR order_count IS NULL),
  constraint settlements_status_check CHECK (status = ANY (ARRAY['open'::text, 'closed'::text]))
);
CREATE UNIQUE INDEX settlements_one_open ON settlements USING btree (partner_id, environment, currency) WHERE status = 'open'::text;
CREATE INDEX settlements_partner_id_environment_id_idx ON settlements USING btree (partner_id, environment, id DESC);
CREATE INDEX settlements_unpaid ON settlements USING btree (environment, due_at) WHERE status = 'closed'::text AND due_at IS NOT NULL AND received_cents < (gross_sold_cents - commission_retained_cents);

create table signing_keys (
  kid text not null,
  public_jwk json not null,
  private_jwk_sealed bytea not null,
  created_at timestamp with time zone not null,
  constraint signing_keys_pkey PRIMARY KEY (kid)
);

create unlogged table site_checks (
  domain text not null,
  state text not null,
  checked_at timestamp with time zone not null,
  expires_at timestamp with time zone not null,
  constraint site_checks_pkey PRIMARY KEY (domain),
  constraint site_checks_state_check CHECK (state = ANY (ARRAY['active'::text, 'parked'::text, 'none'::text, 'unknown'::text]))
);
CREATE INDEX site_checks_expires_at_idx ON site_checks USING btree (expires_at);

create table tld_prices (
  tld text not null,
  op text not null,
  price_cents bigint,
  currency text not null,
  years integer not null,
  updated_at timestamp with time zone not null,
  constraint tld_prices_pkey PRIMARY KEY (tld, op),
  constraint tld_prices_currency_check CHECK (currency = 'USD'::text),
  constraint tld_prices_op_check CHECK (op = ANY (ARRAY['register'::text, 'renew'::text, 'transfer'::text, 'restore'::text])),
  constraint tld_prices_price_cents_check CHECK (price_cents > 0),
  constraint tld_prices_years_check CHECK (years >= 1 AND years <= 20)
);

create table users (
  id text not null,
  email text not null,
  email_confirmed_at timestamp with time zone,
  password_hash text not null,
  is_operator boolean not null,
  partner_id text,
  affiliate_id text,
  created_at timestamp with time zone not null,
  disabled_at timestamp with time zone,
  role text,
  failed_sign_ins integer default 0 not null,
  failed_since timestamp with time zone,
  warned_at timestamp with time zone,
  access_changed_at timestamp with time zone,
  constraint users_pkey PRIMARY KEY (id),
  constraint users_email_key UNIQUE (email),
  constraint users_affiliate_id_fkey FOREIGN KEY (affiliate_id) REFERENCES affiliates(id),
  constraint users_partner_id_fkey FOREIGN KEY (partner_id) REFERENCES partners(id),
  constraint users_email_check CHECK (email = lower(email)),
  constraint users_role_check CHECK (role = ANY (ARRAY['admin'::text, 'finance'::text, 'broker'::text, 'support'::text, 'viewer'::text])),
  constraint users_role_of_operators CHECK (is_operator = (role IS NOT NULL))
);
CREATE INDEX users_affiliates ON users USING btree (affiliate_id) WHERE affiliate_id IS NOT NULL;
CREATE INDEX users_disabled ON users USING btree (id DESC) WHERE disabled_at IS NOT NULL;
CREATE INDEX users_email_prefix ON users USING btree (email text_pattern_ops);
CREATE INDEX users_linked ON users USING btree (partner_id, id DESC) WHERE partner_id IS NOT NULL;
CREATE INDEX users_operators ON users USING btree (id DESC) WHERE is_operator;

create table webhook_attempts (
  id text not null,
  delivery_id text not null,
  endpoint_id text not null,
  event_id text not null,
  type text not null,
  attempt integer not null,
  response_status integer,
  error text,
  duration_ms integer not null,
  at timestamp with time zone not null,
  response_body text,
  constraint webhook_attempts_pkey PRIMARY KEY (id),
  constraint webhook_attempts_delivery_id_fkey FOREIGN KEY (delivery_id) REFERENCES webhook_deliveries(id) ON DELETE CASCADE,
  constraint webhook_attempts_endpoint_id_fkey FOREIGN KEY (endpoint_id) REFERENCES webhook_endpoints(id)
);
CREATE INDEX webhook_attempts_delivery_id_idx ON webhook_attempts USING btree (delivery_id);
CREATE INDEX webhook_attempts_endpoint_id_id_idx ON webhook_attempts USING btree (endpoint_id, id DESC);
CREATE INDEX webhook_attempts_failed ON webhook_attempts USING btree (endpoint_id, id DESC) WHERE response_status IS NULL OR response_status < 200 OR response_status > 299;

create table webhook_deliveries (
  id text not null,
  endpoint_id text not null,
  event_id text not null,
  status text not null,
  attempts integer not null,
  due_at timestamp with time zone not null,
  leased_until timestamp with time zone,
  lease text,
  created_at timestamp with time zone not null,
  replay_id text,
  constraint webhook_deliveries_pkey PRIMARY KEY (id),
  constraint webhook_deliveries_endpoint_id_fkey FOREIGN KEY (endpoint_id) REFERENCES webhook_endpoints(id),
  constraint webhook_deliveries_event_id_fkey FOREIGN KEY (event_id) REFERENCES events(id) ON DELETE CASCADE,
  constraint webhook_deliveries_replay_id_fkey FOREIGN KEY (replay_id) REFERENCES webhook_replays(id),
  constraint webhook_deliveries_status_check CHECK (status = ANY (ARRAY['pending'::text, 'delivered'::text, 'failed'::text, 'dropped'::text]))
) with (fillfactor=60);
CREATE INDEX webhook_deliveries_created_at_idx ON webhook_deliveries USING brin (created_at) WITH (pages_per_range='16');
CREATE INDEX webhook_deliveries_due ON webhook_deliveries USING btree (endpoint_id, due_at) WHERE status = 'pending'::text;
CREATE INDEX webhook_deliveries_event_id_idx ON webhook_deliveries USING btree (event_id);
CREATE INDEX webhook_deliveries_of_replay ON webhook_deliveries USING btree (replay_id, status) WHERE replay_id IS NOT NULL;

create table webhook_endpoints (
  id text not null,
  partner_id text not null,
  environment environment not null,
  url text not null,
  secret_sealed bytea not null,
  active boolean not null,
  inactive_reason text,
  failing_since timestamp with time zone,
  created_at timestamp with time zone not null,
  updated_at timestamp with time zone not null,
  constraint webhook_endpoints_pkey PRIMARY KEY (id),
  constraint webhook_endpoints_partner_id_environment_key UNIQUE (partner_id, environment),
  constraint webhook_endpoints_partner_id_fkey FOREIGN KEY (partner_id) REFERENCES partners(id)
);
CREATE INDEX webhook_endpoints_failing ON webhook_endpoints USING btree (environment, id DESC) WHERE failing_since IS NOT NULL;
CREATE INDEX webhook_endpoints_off ON webhook_endpoints USING btree (environment, id DESC) WHERE NOT active;

create table webhook_replays (
  id text not null,
  endpoint_id text not null,
  partner_id text not null,
  environment environment not null,
  from_at timestamp with time zone not null,
  to_at timestamp with time zone not null,
  types text[],
  status text not null,
  "position" bigint not null,
  last_position bigint not null,
  event_count bigint not null,
  queued_count bigint not null,
  created_at timestamp with time zone not null,
  ended_at timestamp with time zone,
  constraint webhook_replays_pkey PRIMARY KEY (id),
  constraint webhook_replays_endpoint_id_fkey FOREIGN KEY (endpoint_id) REFERENCES webhook_endpoints(id),
  constraint webhook_replays_partner_id_fkey FOREIGN KEY (partner_id) REFERENCES partners(id),
  constraint webhook_replays_check CHECK ((status = 'running'::text) = (ended_at IS NULL)),
  constraint webhook_replays_status_check CHECK (status = ANY (ARRAY['running'::text, 'done'::text, 'cancelled'::text]))
);
CREATE INDEX webhook_replays_by_partner ON webhook_replays USING btree (partner_id, environment, id DESC);
CREATE UNIQUE INDEX webhook_replays_one_running ON webhook_replays USING btree (endpoint_id) WHERE status = 'running'::text;
