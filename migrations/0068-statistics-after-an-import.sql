-- ANALYZE is for a table's owner, who need not be the role that serves (DATABASE_OWNER_URL); so it is run by a function
-- of the owner. What somebody else vacuums or analyzes already is left out.
create function analyze_market() returns void
language plpgsql security definer set search_path = pg_catalog, public as $$
begin
  analyze (skip_locked) listings, listing_postings;
end
$$;
