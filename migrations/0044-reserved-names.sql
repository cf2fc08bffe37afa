-- Names that registries keep from everybody, and those with a price of their own. What is kept is a cache.
truncate registry_answers;
alter table registry_answers
  add column reason text,
  drop constraint registry_answers_state_check,
  add constraint registry_answers_state_check
    check (state in ('available', 'registered', 'reserved', 'premium', 'unknown'));
