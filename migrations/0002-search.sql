-- Search: the words of each listing's label, and what a reader of changes asks for.

-- Null until the label has been read.
alter table listings add column tokens text[];
-- The transaction that last changed what search shows. Ids are given out before commit, so a reader
-- compares them with snapshots: it then misses nothing, whatever the order of the commits.
alter table listings add column changed_in xid8 not null default pg_current_xact_id();
create index listings_changed_in on listings (changed_in);

create function note_listing_change() returns trigger language plpgsql as $$
begin
  new.changed_in := pg_current_xact_id();
  return new;
end $$;
create trigger listings_note_change before update of status, price_cents, tokens on listings
  for each row execute function note_listing_change();
