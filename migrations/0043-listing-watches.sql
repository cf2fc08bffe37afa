-- What partners have asked about, so that they hear when it changes, is withdrawn or is sold.
create table listing_watches (
  partner_id text not null references partners (id),
  environment environment not null,
  domain text not null,
  -- When the partner asked last, to the day.
  seen_at timestamptz not null,
  -- What the partner knows of it.
  price_cents bigint not null,
  currency text not null,
  status text not null,
  -- The listing has changed, and the partner is to be told if they care.
  is_due boolean not null default false,
  primary key (environment, domain, partner_id)
);
create index listing_watches_due_idx on listing_watches (environment, domain) where is_due;
create index listing_watches_seen_at_idx on listing_watches (seen_at);
create function note_watched_listing() returns trigger language plpgsql as $$
begin
  update listing_watches set is_due = true
    where environment = new.environment and domain = new.domain and not is_due;
  return null;
end $$;
create trigger listings_note_watched after update of status, price_cents, currency on listings for each row
  when (old.status <> new.status or old.price_cents <> new.price_cents or old.currency <> new.currency)
  execute function note_watched_listing();
