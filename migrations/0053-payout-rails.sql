-- Where money goes may be an account at a provider that pays out by itself, opened there by the payee.
alter table payees
  alter column details drop not null,
  -- Null: the provider still checks who the payee is, and nothing is sent there.
  alter column usable_from drop not null,
  add column rail text not null default 'file' check (rail in ('file', 'stripe')),
  -- What the provider calls the account; null: not opened yet.
  add column account_id text unique,
  add constraint payees_details check ((rail = 'file') = (details is not null)),
  add constraint payees_file_usable check (rail <> 'file' or usable_from is not null);
create index payees_unready on payees (created_at) where usable_from is null;

alter table payouts
  -- What the provider calls the transfer that pays it.
  add column transfer_ref text unique,
  add column attempts int not null default 0,
  -- When it is sent, or tried again; null: not by a provider, or no more.
  add column due_at timestamptz;
create index payouts_due on payouts (due_at) where due_at is not null;
