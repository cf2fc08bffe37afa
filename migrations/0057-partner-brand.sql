-- What the checkout looks like behind a partner's links; null: as the marketplace itself.
alter table partners
  add column brand jsonb;
