-- Search: whether an embedding model helps on the judged set that ships, by which it is used or not.

create table embedding_checks (
  model text not null references embedding_models on delete cascade,
  -- A hash of the lexicon and the judged set: with another of either, the model is checked again.
  checked_with text not null,
  queries integer not null,
  -- Recall at 5 of the lexicon alone, and with the model's vectors.
  recall_without double precision not null,
  recall_with double precision not null,
  -- Queries that find more with the vectors, and less.
  better integer not null,
  worse integer not null,
  is_used boolean not null,
  checked_at timestamptz not null,
  primary key (model, checked_with)
);
