-- Where a sold domain goes, the code that its buyer's registrar needs, and the proof that it arrived.
alter table partners add column delivery jsonb;
alter table checkout_sessions add column delivery jsonb;
alter table orders
  add column delivery jsonb not null default '{"method": "auth_code", "account": null, "registrar_iana_id": null}',
  -- How often its transfer was started.
  add column transfer_number integer not null default 0,
  -- The registrar that had the domain when the transfer started, as far as it is known.
  add column transfer_registrar jsonb,
  -- The connection that was asked for the transfer: its id, or simulated; null where an operator acts by hand.
  add column transfer_connection text,
  add column transfer_code bytea,
  add column code_available_at timestamptz,
  add column expected_by timestamptz,
  add column transfer_checked_at timestamptz,
  add column submitted_at timestamptz,
  add column stalled_at timestamptz,
  add column transfer_proof jsonb;
create index orders_in_transfer on orders (transfer_checked_at nulls first) where status = 'TRANSFER_IN_PROGRESS';
