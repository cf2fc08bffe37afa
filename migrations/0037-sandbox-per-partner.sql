-- Each partner has a sandbox of its own: the catalogue is the same for all, and what a partner reserves or
-- buys of it is in rows of that partner's alone.

create table sandbox_listings (
  partner_id text not null references partners,
  environment environment not null default 'sandbox' check (environment = 'sandbox'),
  domain text not null,
  status text not null check (status in ('listed', 'sold')),
  -- Where the price has moved away from the catalogue's, and from which: another there ends it.
  price_cents bigint check (price_cents > 0),
  moved_from_cents bigint,
  reserved_by text,
  reserved_until timestamptz,
  updated_at timestamptz not null,
  primary key (partner_id, domain),
  foreign key (environment, domain) references listings,
  check ((price_cents is null) = (moved_from_cents is null))
);

insert into sandbox_listings (partner_id, domain, status, updated_at)
select o.partner_id, o.domain, 'sold', max(l.updated_at)
from orders o join listings l using (environment, domain)
where environment = 'sandbox' and l.status = 'sold' and o.status not in ('REFUNDED', 'CANCELLED')
group by o.partner_id, o.domain;

-- A payment on the marketplace's own pages holds the name in the sandbox of the partner whose link brought it.
insert into sandbox_listings (partner_id, domain, status, reserved_by, reserved_until, updated_at)
select coalesce(q.partner_id, k.partner_id, p.partner_id), l.domain, 'listed', l.reserved_by, l.reserved_until,
  l.updated_at
from listings l
  left join quotes q on q.id = l.reserved_by
  left join payments p on p.id = l.reserved_by
  left join checkout_sessions s on s.id = p.session_id
  left join referral_links k on k.id = s.link_id
where l.environment = 'sandbox' and l.status = 'listed' and coalesce(q.id, p.id) is not null
on conflict do nothing;

update listings set status = 'listed', reserved_by = null, reserved_until = null
where environment = 'sandbox' and (status = 'sold' or reserved_by is not null);

alter table listings add constraint listings_catalogue check (
  environment = 'live' or (status <> 'sold' and reserved_by is null and reserved_until is null));

-- One sale of a domain at a time in live, and one for each partner in the sandbox.
drop index orders_one_sale;
create unique index orders_one_sale on orders
  (environment, domain, (case environment when 'sandbox' then partner_id else '' end))
  where status not in ('REFUNDED', 'CANCELLED', 'TRANSFER_COMPLETED', 'SETTLED');
