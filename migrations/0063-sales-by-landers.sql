-- The buyer came by the name itself: what the marketplace takes of its seller may depend on that.
alter table checkout_sessions
  add column by_lander boolean not null default false;
