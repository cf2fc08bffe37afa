-- Search: vectors of labels' words, from an embeddings endpoint that the operator may set.

create table embedding_models (
  -- As configured, with the dimensions asked for if any: `text-embedding-3-small:512`.
  model text primary key,
  dimensions integer not null check (dimensions between 8 and 8192),
  -- The mean of unrelated words' vectors as float32, which is taken off every vector.
  centre bytea not null check (octet_length(centre) = 4 * dimensions),
  -- The least cosine that says that two texts have to do with each other.
  cutoff real not null check (cutoff > 0 and cutoff < 1),
  created_at timestamptz not null
);

-- By words, not by domain: `pet pantry` is one under every TLD and in both environments. Never changed.
create table label_vectors (
  model text not null references embedding_models on delete cascade,
  words text not null,
  -- One signed byte a dimension.
  vector bytea not null,
  -- The signs of the first dimensions, which each instance holds in memory.
  code bytea not null,
  changed_in xid8 not null default pg_current_xact_id(),
  primary key (model, words)
);
create index label_vectors_changed_in on label_vectors (changed_in);
