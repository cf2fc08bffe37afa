-- What somebody pays for is found by their address, as when they change it.
create index checkout_sessions_by_buyer on checkout_sessions (lower(buyer ->> 'email'))
  where buyer ->> 'email' is not null;
create index checkout_sessions_by_registrant on checkout_sessions (lower(registrant ->> 'email'))
  where registrant is not null;
create index payments_by_registrant on payments (lower(registrant ->> 'email'))
  where registrant is not null;
