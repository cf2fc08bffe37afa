-- A checkout link is an offer of whoever has the domain for sale: not of those who sell it after them.
alter table checkout_sessions add column seller_id text;
update checkout_sessions s set seller_id = l.seller_id from listings l
where s.environment = 'live' and s.status = 'open'
  and l.environment = 'live' and l.domain = s.domain and l.seller_id is not null;
