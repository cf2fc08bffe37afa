-- A partner's orders are read by when they were made, which is the order of their ids, too: a span of time is
-- a piece of the index. So the index by id alone is needed no more.
create index orders_referred_by_time on orders (partner_id, environment, created_at, public_id)
  where link_id is not null;

-- Of the sales that the house collected or that links brought the few are found among the many; a sale that a
-- partner collected is in neither index.
create index orders_hosted on orders (partner_id, environment, created_at, public_id)
  where payment_model = 'hosted_checkout';

-- Quotes and checkouts that ended in one way, however rare it is. Running quotes are found by it, too.
create index quotes_by_status on quotes (partner_id, environment, status, id desc);
create index checkout_sessions_by_status on checkout_sessions (partner_id, environment, status, id desc);

create index request_log_refused on request_log (partner_id, environment, id desc) where code is not null;
create index request_log_by_key on request_log (partner_id, environment, key_id, id desc);

create index brokerage_cases_by_time on brokerage_cases (partner_id, environment, created_at, case_id);
create index brokerage_cases_by_status on brokerage_cases
  (partner_id, environment, status, created_at, case_id);
create index brokerage_cases_by_tier on brokerage_cases (partner_id, environment, tier, created_at, case_id);
create index brokerage_cases_by_domain on brokerage_cases (environment, domain, case_id desc);
create index brokerage_cases_by_assignee on brokerage_cases (environment, assignee, case_id desc)
  where assignee is not null;

-- A partner's own, not its endpoint's, are asked for.
create index webhook_replays_by_partner on webhook_replays (partner_id, environment, id desc);

-- Every page of the console counts what waits for an operator.
create index webhook_endpoints_off on webhook_endpoints (environment, id desc) where not active;
create index webhook_endpoints_failing on webhook_endpoints (environment, id desc)
  where failing_since is not null;
create index payouts_by_status on payouts (environment, status, id desc);
create index listing_imports_by_status on listing_imports (status, id desc);

-- What operators look for in long lists.
create index payouts_of_partner_by_status on payouts (partner_id, environment, status, id desc);
create index listings_delisted on listings (environment, domain) where status = 'delisted';
create index partners_suspended on partners (id desc) where status = 'suspended';
create index partners_name on partners using gin (name gin_trgm_ops);
create index partners_email on partners using gin (email gin_trgm_ops);
-- A day's row is only added to, and its date stays: orders write no more for this.
create index sale_days_by_date on sale_days (environment, date);

-- A user's domains that are for sale, by name.
create index listings_of_seller on listings (seller_id, domain) where seller_id is not null;

-- Statistics of a partial index are not used, so every length was taken for a third of the names.
create statistics listings_label_length on char_length(label) from listings;
analyze listings;

-- What a closed period comes to: nothing is posted to it any more, so a list of statements need not read a
-- year's entries again. Where it is not kept, it is read from the ledger, as while the period is open.
alter table settlements
  add column order_count bigint,
  add column gross_sold_cents bigint,
  add column commission_retained_cents bigint,
  add column refunded_cents bigint,
  add check (num_nulls(order_count, gross_sold_cents, commission_retained_cents, refunded_cents) in (0, 4)),
  add check (status = 'closed' or order_count is null);
update settlements s set (order_count, gross_sold_cents, commission_retained_cents, refunded_cents) = (
  select count(*) filter (where t.code = 'delivery' and e.account = 'sales'),
    coalesce(-sum(e.amount_cents) filter (where e.account = 'sales'), 0),
    coalesce(sum(e.amount_cents) filter (where e.account = 'partner_commission'), 0),
    coalesce(sum(e.amount_cents) filter (where t.code = 'refund' and e.account = 'undelivered_sales'), 0)
  from ledger_transactions t join ledger_entries e on e.transaction_id = t.id
  where t.settlement_id = s.id)
where status = 'closed';

-- What no read needs any more. Last, since reads wait for it, which they do not while an index is built.
drop index orders_partner_id_environment_public_id_idx;
drop index orders_referred;
drop index quotes_running;
drop index brokerage_cases_partner_id_environment_case_id_idx;
drop index webhook_replays_endpoint_id_id_idx;
drop index payouts_running;
drop index listing_imports_waiting;
drop index listings_seller_id_idx;
