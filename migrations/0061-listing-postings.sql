-- Candidates of a search as rows: by the hash of a term, of two terms or of a spelling the names that have it, those
-- that say least first. Whatever writes a listing writes its postings in the same transaction, once `installation`
-- says that they are kept.

alter table listings
  -- The keys of its postings and what it costs, as the search reads its label; null until it has been read.
  add column posting_keys integer[],
  add column posting_cost integer;

create table listing_postings (
  environment environment not null,
  key integer not null,
  cost integer not null,
  domain text not null,
  price_cents bigint not null
);
create index listing_postings_by_key on listing_postings (key, cost, domain) include (price_cents);
create index listing_postings_of_listing on listing_postings (domain);
