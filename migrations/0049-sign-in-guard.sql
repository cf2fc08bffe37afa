-- Wrong passwords of an account, wherever they come from: within the hour that began with the first of them.
alter table users
  add column failed_sign_ins int not null default 0,
  add column failed_since timestamptz,
  add column warned_at timestamptz;
