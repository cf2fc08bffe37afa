-- People: what they sign in with, what their agents hold, the domains that are theirs, and our mails to them.

-- A mail is written with the change that it belongs to, and sent by a job.
create table mails (
  id text primary key,
  recipient text not null,
  subject text not null,
  -- Null once it was sent: it may hold a link that signs somebody in.
  body text,
  created_at timestamptz not null,
  due_at timestamptz not null,
  attempts integer not null,
  sent_at timestamptz,
  error text
);
create index mails_due on mails (due_at) where sent_at is null;

-- Who signs in. An address is confirmed by a link in a mail, or by the operator who made the account.
create table users (
  id text primary key,
  email text not null unique check (email = lower(email)),
  email_confirmed_at timestamptz,
  password_hash text not null,
  is_operator boolean not null,
  partner_id text references partners,
  affiliate_id text references affiliates,
  created_at timestamptz not null,
  disabled_at timestamptz
);

-- Of whatever opens something only the SHA-256 is kept.
create table sessions (
  id text primary key,
  token_hash bytea not null unique,
  user_id text not null references users,
  user_agent text not null,
  address text not null,
  created_at timestamptz not null,
  last_seen_at timestamptz not null,
  expires_at timestamptz not null
);
create index on sessions (user_id);
create index on sessions (expires_at);

create table personal_tokens (
  id text primary key,
  token_hash bytea not null unique,
  user_id text not null references users,
  label text not null,
  created_at timestamptz not null,
  last_used_at timestamptz
);
create index on personal_tokens (user_id);

-- Links that were mailed: each works once.
create table mailed_links (
  token_hash bytea primary key,
  user_id text not null references users,
  purpose text not null check (purpose in ('reset_password', 'confirm_email')),
  expires_at timestamptz not null
);
create index on mailed_links (user_id);
create index on mailed_links (expires_at);

-- OAuth 2.1. A client registered itself, or is a document at its own address.
create table oauth_clients (
  client_id text primary key,
  kind text not null check (kind in ('registered', 'document')),
  name text not null,
  redirect_uris text[] not null,
  created_at timestamptz not null,
  last_used_at timestamptz not null,
  -- Until when a document need not be fetched again.
  fresh_until timestamptz
);
create index on oauth_clients (last_used_at);

-- A user's consent, and the family of all that was issued on it.
create table oauth_grants (
  id text primary key,
  client_id text not null references oauth_clients,
  user_id text not null references users,
  scope text not null,
  resource text not null,
  created_at timestamptz not null,
  last_used_at timestamptz not null,
  revoked_at timestamptz
);
create index on oauth_grants (user_id);
create index on oauth_grants (client_id);

create table oauth_codes (
  code_hash bytea primary key,
  grant_id text not null references oauth_grants on delete cascade,
  redirect_uri text not null,
  code_challenge text not null,
  expires_at timestamptz not null,
  used_at timestamptz
);
create index on oauth_codes (grant_id);

create table oauth_tokens (
  token_hash bytea primary key,
  kind text not null check (kind in ('access', 'refresh')),
  grant_id text not null references oauth_grants on delete cascade,
  expires_at timestamptz not null,
  used_at timestamptz
);
create index on oauth_tokens (grant_id);
create index on oauth_tokens (expires_at);

-- The domains that users own.
create table owned_domains (
  domain text primary key,
  user_id text not null references users,
  locked boolean not null,
  auto_renew boolean not null,
  privacy boolean not null,
  nameservers text[] not null,
  expires_at timestamptz not null,
  created_at timestamptz not null,
  updated_at timestamptz not null
);
create index on owned_domains (user_id, domain);

-- What each renewal costs its owner, written with the renewal itself.
create table renewals (
  id text primary key,
  domain text not null,
  user_id text not null references users,
  years integer not null check (years between 1 and 20),
  price_cents bigint not null check (price_cents > 0),
  currency text not null,
  status text not null check (status in ('due', 'paid', 'failed')),
  created_at timestamptz not null
);
create index on renewals (user_id, id);

-- A listing of a user's own domain; withdrawn, it stays for the quotes that name it.
alter table listings add column seller_id text references users;
alter table listings drop constraint listings_status_check;
alter table listings add constraint listings_status_check
  check (status in ('listed', 'sold') or (status = 'delisted' and seller_id is not null));
create index on listings (seller_id) where seller_id is not null;
