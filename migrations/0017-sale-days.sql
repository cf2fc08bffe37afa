-- What every partner sold, added up by day, so that totals need not count a history.

create table sale_days (
  partner_id text not null references partners,
  environment environment not null,
  -- UTC, of the sale.
  date date not null,
  payment_model text not null,
  status text not null,
  currency text not null,
  count bigint not null,
  gmv_cents bigint not null,
  commission_cents bigint not null,
  primary key (partner_id, environment, date, payment_model, status, currency)
) with (fillfactor = 70);

insert into sale_days
  (partner_id, environment, date, payment_model, status, currency, count, gmv_cents, commission_cents)
select partner_id, environment, (created_at at time zone 'UTC')::date,
  payment_model, status, currency, count(*), sum(sale_price_cents),
  sum(case when disputed or status in ('REFUNDED', 'CANCELLED') then 0 else commission_cents end)
from orders group by 1, 2, 3, 4, 5, 6;

insert into sale_days
  (partner_id, environment, date, payment_model, status, currency, count, gmv_cents, commission_cents)
select partner_id, environment, (ended_at at time zone 'UTC')::date, 'brokerage', status, currency,
  count(*), sum(price_cents), sum(commission_cents)
from brokerage_cases where status = 'completed' group by 1, 2, 3, 4, 5, 6;

-- Newest first, from any moment on: of a span of time, and of one status.
drop index orders_partner_id_environment_created_at_idx;
create index orders_by_time on orders (partner_id, environment, created_at, public_id);
create index orders_by_status on orders (partner_id, environment, status, created_at, public_id);
create index brokerage_cases_completed on brokerage_cases (partner_id, environment, ended_at, case_id)
  where status = 'completed';
