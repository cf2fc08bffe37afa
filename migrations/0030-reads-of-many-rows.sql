-- What is for sale by name, with nothing between that was sold: the console's list begins at the first name.
create index listings_on_market on listings (environment, domain) where status = 'listed';

-- Every page of the console counts these few, which stand among many of their kind.
create index orders_action_required on orders (environment) where transfer_status = 'action_required';
create index brokerage_cases_unassigned on brokerage_cases (environment)
  where ended_at is null and assignee is null;

-- What all links of a partner did, added up by day: a report need not add up every link's.
create table referral_totals (
  partner_id text not null references partners,
  environment environment not null,
  date date not null,
  clicks bigint not null default 0,
  unique_clicks bigint not null default 0,
  bots bigint not null default 0,
  checkouts bigint not null default 0,
  sales bigint not null default 0,
  gmv_cents bigint not null default 0,
  commission_cents bigint not null default 0,
  primary key (partner_id, environment, date)
) with (fillfactor = 50);

insert into referral_totals
select partner_id, environment, date, sum(clicks), sum(unique_clicks), sum(bots), sum(checkouts), sum(sales),
  sum(gmv_cents), sum(commission_cents)
from referral_days group by partner_id, environment, date;
