-- Whoever has just got into an account cannot sell its domains before its owner has read about it.
alter table users
  -- When a password was last reset, or a token made that may manage domains.
  add column access_changed_at timestamptz;
alter table listings
  -- Nobody can buy it before; null where nothing holds it back.
  add column sells_from timestamptz;
