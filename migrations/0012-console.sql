-- The operator console: who did what, imports in the background, and what each job did last.

-- Every act of an operator, refused ones too. Nothing here is ever changed.
create table audit_entries (
  id text primary key,
  at timestamptz not null,
  -- An e-mail address, or 'admin token'.
  actor text not null,
  user_id text,
  operation text not null,
  -- What it was about: an order's, a partner's, a user's id.
  subject text,
  input jsonb not null,
  -- 'done', or the error code of the refusal.
  outcome text not null,
  message text,
  request_id text not null
);
create index on audit_entries (subject, id desc) where subject is not null;
create index on audit_entries (operation, id desc);
create index on audit_entries (actor, id desc);
create index audit_entries_refused on audit_entries (id desc) where outcome <> 'done';

create function audit_is_append_only() returns trigger language plpgsql as $$
begin
  raise exception 'audit: entries are never changed or removed';
end $$;
create trigger audit_entries_append_only before update or delete on audit_entries
  for each row execute function audit_is_append_only();
create trigger audit_entries_never_emptied before truncate on audit_entries
  for each statement execute function audit_is_append_only();

-- A file of listings that is loaded in the background, part by part; or one that is streamed in.
create table listing_imports (
  id text primary key,
  environment environment not null,
  file_name text,
  status text not null check (status in ('uploading', 'waiting', 'running', 'done', 'failed')),
  created_by text not null,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  finished_at timestamptz,
  total_bytes bigint,
  done_bytes bigint not null default 0,
  rows bigint not null default 0,
  imported bigint not null default 0,
  created bigint not null default 0,
  updated bigint not null default 0,
  skipped_sold bigint not null default 0,
  rejected_count bigint not null default 0,
  error text,
  check ((finished_at is not null) = (status in ('done', 'failed')))
);
create index listing_imports_waiting on listing_imports (id) where status in ('waiting', 'running');

-- What of an uploaded file is still to be loaded, cut between lines.
create table listing_import_parts (
  import_id text not null references listing_imports on delete cascade,
  place integer not null,
  first_line integer not null,
  csv text not null,
  primary key (import_id, place)
);

create table listing_import_rejections (
  import_id text not null references listing_imports on delete cascade,
  line integer not null,
  field text not null,
  issue text not null,
  row text not null,
  primary key (import_id, line)
);

alter table scheduled_jobs add column started_at timestamptz, add column duration_ms bigint;

-- What operators look for, whosever it is.
create index on orders (environment, status, public_id desc);
-- By domain, with orders_one_sale, which has the others.
create index orders_ended on orders (environment, domain)
  where status in ('REFUNDED', 'CANCELLED', 'TRANSFER_COMPLETED', 'SETTLED');
create index on mails (recipient, id desc);
create index users_email_prefix on users (email text_pattern_ops);
create index users_linked on users (partner_id, id desc) where partner_id is not null;
create index users_operators on users (id desc) where is_operator;
create index users_disabled on users (id desc) where disabled_at is not null;
create index listings_off_market on listings (environment, domain) where status <> 'listed';
create index mails_stuck on mails (id) where sent_at is null and error is not null;
