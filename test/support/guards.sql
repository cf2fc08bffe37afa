-- In every test's database: what a statement that changes listings must not forget (src/domain/listings/write-listings.ts).

create function check_changed_in() returns trigger language plpgsql as $$
begin
  if new.changed_in <> pg_current_xact_id() then
    raise '% was changed without its changed_in', new.domain;
  end if;
  return null;
end $$;
create trigger listings_check_changed_in after update on listings for each row
  when ((old.status, old.price_cents, old.tokens) is distinct from (new.status, new.price_cents, new.tokens))
  execute function check_changed_in();

-- At the end, since a statement of its own may mark them.
create function check_watches() returns trigger language plpgsql as $$
begin
  if exists (
    select from listing_watches w join listings l using (environment, domain)
    where environment = new.environment and domain = new.domain and not w.is_due
      and (w.price_cents, w.currency, w.status) is distinct from (l.price_cents, l.currency, l.status)
  ) then
    raise '% was changed and who watches it would not hear of it', new.domain;
  end if;
  return null;
end $$;
create constraint trigger listings_check_watches after update on listings
  deferrable initially deferred for each row
  when ((old.status, old.price_cents, old.currency) is distinct from (new.status, new.price_cents, new.currency))
  execute function check_watches();
