-- What a seller asks for a domain that is not proven yet: it goes on the market with it once it is.
alter table claims
  add column price_cents bigint,
  add column floor_price_cents bigint,
  add column offers text,
  add column min_offer_cents bigint,
  add check ((price_cents is null) = (floor_price_cents is null) and (price_cents is null) = (offers is null)),
  add check (floor_price_cents <= price_cents and min_offer_cents <= price_cents);
