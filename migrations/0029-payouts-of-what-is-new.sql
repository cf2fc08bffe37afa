-- Up to which position each commission has been taken up by a payout: what is payable is looked for behind it,
-- and among what payouts gave back, not in all that was ever earned. A payout moves it on; nothing moves it back.
create index payout_lines_given_back on payout_lines (entry_id) where not active;

-- Worked out before the column is added, which sales wait for: what is earned meanwhile comes behind it.
create temporary table taken_up on commit drop as
with waiting as (
  select partner_id, environment, currency, min(position) as position from commission_entries e
  where type in ('accrued', 'reversed')
    and not exists (select 1 from payout_lines l where l.entry_id = e.id and l.active)
  group by partner_id, environment, currency
)
select partner_id, environment, currency, coalesce(waiting.position - 1, last_position) as position
from commission_balances left join waiting using (partner_id, environment, currency);

alter table commission_balances add column taken_up_position bigint not null default 0;
update commission_balances b set taken_up_position = taken_up.position from taken_up
where b.partner_id = taken_up.partner_id and b.environment = taken_up.environment
  and b.currency = taken_up.currency;

-- One index less for every sale to write.
drop index commission_entries_payable;
