-- Connections to registrars, what they say of the domains in them, and what they were asked to do.
create table registrars (
  id text primary key,
  name text not null unique,
  driver text not null,
  tlds text[] not null,
  config bytea not null,
  created_at timestamptz not null,
  updated_at timestamptz not null
);

-- As the registrar said it last. A domain is in one account at a time.
create table registrar_domains (
  domain text primary key,
  registrar_id text not null references registrars on delete cascade,
  expires_at timestamptz,
  locked boolean,
  privacy boolean,
  nameservers text[] not null,
  statuses text[] not null,
  read_at timestamptz not null
);
create index registrar_domains_registrar on registrar_domains (registrar_id, domain);

create table registrar_operations (
  operation_id text primary key,
  environment environment not null,
  domain text not null,
  op text not null,
  registrar text not null,
  registrar_id text references registrars on delete set null,
  params jsonb not null,
  secret bytea,
  -- What wants it, so that it is wanted once, and who hears of its end.
  source text unique,
  public_id text,
  user_id text references users,
  status text not null check (status in ('queued', 'running', 'succeeded', 'failed', 'unknown')),
  attempts integer not null default 0,
  error jsonb,
  result jsonb,
  due_at timestamptz,
  lease text,
  leased_until timestamptz,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  finished_at timestamptz,
  check ((status in ('succeeded', 'failed')) = (finished_at is not null))
);
create index registrar_operations_unfinished on registrar_operations (domain, operation_id)
  where finished_at is null;
create index registrar_operations_due on registrar_operations (due_at) where finished_at is null;
create index registrar_operations_domain on registrar_operations (domain, operation_id desc);

-- What registries and registrars say of their own accord (RFC 5730, section 2.9.2.3).
create table registrar_messages (
  registrar_id text not null references registrars on delete cascade,
  message_id text not null,
  domain text,
  kind text not null,
  text text not null,
  queued_at timestamptz,
  received_at timestamptz not null,
  acknowledged_at timestamptz,
  primary key (registrar_id, message_id)
);

create table registrar_syncs (
  sync_id text primary key,
  registrar_id text not null references registrars on delete cascade,
  status text not null check (status in ('running', 'done', 'failed')),
  total integer not null,
  found integer not null default 0,
  missing integer not null default 0,
  failed integer not null default 0,
  problem text,
  created_at timestamptz not null,
  finished_at timestamptz
);
create table registrar_sync_domains (
  sync_id text not null references registrar_syncs on delete cascade,
  domain text not null,
  outcome text not null default 'pending' check (outcome in ('pending', 'found', 'missing', 'failed')),
  attempts integer not null default 0,
  primary key (sync_id, domain)
);
create index registrar_sync_domains_pending on registrar_sync_domains (sync_id, attempts, domain)
  where outcome = 'pending';
