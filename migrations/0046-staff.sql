-- What operators may do; null of everybody else.
alter table users
  add column role text check (role in ('admin', 'finance', 'broker', 'support', 'viewer'));
update users set role = 'admin' where is_operator;
alter table users add constraint users_role_of_operators check (is_operator = (role is not null));

-- When the user last showed, by password or second factor, that they are there.
alter table sessions add column confirmed_at timestamptz;
update sessions set confirmed_at = created_at;
alter table sessions alter column confirmed_at set not null;

-- Second factors of sign-ins: authenticator apps (TOTP, RFC 6238) and passkeys (WebAuthn).
create table second_factors (
  factor_id text primary key,
  user_id text not null references users (id),
  kind text not null check (kind in ('totp', 'passkey')),
  label text not null,
  -- Of an app: its secret, sealed, and the last time step that was used, which is used once.
  secret bytea,
  last_step bigint,
  -- Of a passkey: as WebAuthn has them.
  credential_id text unique,
  public_key bytea,
  counter bigint,
  transports text,
  -- Null until the user has shown that it works.
  confirmed_at timestamptz,
  created_at timestamptz not null,
  last_used_at timestamptz
);
create index second_factors_user_id_idx on second_factors (user_id);
create table recovery_codes (
  user_id text not null references users (id),
  code_hash bytea not null,
  used_at timestamptz,
  primary key (user_id, code_hash)
);
-- A sign-in, or a question whether it is really them, that waits for a second factor. Used once.
create table presence_checks (
  token_hash bytea primary key,
  user_id text not null references users (id),
  challenge text not null,
  expires_at timestamptz not null
);
create index presence_checks_expires_at_idx on presence_checks (expires_at);

-- Tokens end, and do what they were made for.
alter table personal_tokens
  add column scopes text not null default 'pricing:read domains:manage',
  add column expires_at timestamptz;

-- Tokens of the admin API beside the one of the installation.
create table admin_tokens (
  token_id text primary key,
  name text not null unique,
  token_hash bytea not null unique,
  role text not null check (role in ('admin', 'finance', 'broker', 'support', 'viewer')),
  created_by text not null,
  created_at timestamptz not null,
  expires_at timestamptz,
  last_used_at timestamptz,
  revoked_at timestamptz
);
