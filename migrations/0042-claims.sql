-- What users say is theirs, and how that is proven.
create table claims (
  claim_id text primary key,
  user_id text not null references users (id),
  domain text not null,
  -- What the TXT record holds; of this user alone.
  token text not null,
  status text not null check (status in ('pending', 'verified', 'lost')),
  method text check (method in ('txt', 'nameservers', 'registrar', 'operator')),
  problem text,
  created_at timestamptz not null,
  verified_at timestamptz,
  checked_at timestamptz,
  -- When the job looks again; null: only when its user asks.
  due_at timestamptz,
  -- Since when a proof that there was is not found.
  missing_since timestamptz,
  -- The registrar at which the domain was when it was last checked.
  registrar_iana_id text,
  unique (user_id, domain),
  check (status <> 'verified' or (method is not null and verified_at is not null))
);
-- Nobody else has what one user has proven.
create unique index claims_verified_idx on claims (domain) where status = 'verified';
create index claims_domain_idx on claims (domain);
create index claims_due_idx on claims (due_at) where due_at is not null;
insert into claims (claim_id, user_id, domain, token, status, method, created_at, verified_at, checked_at, due_at)
  select 'clm_' || substr(md5(domain), 1, 26), user_id, domain, replace(gen_random_uuid()::text, '-', ''), 'verified', 'operator', created_at, created_at,
    created_at, created_at
  from owned_domains;
-- No expiry is invented: until a registry or registrar has said it, it is not known.
alter table owned_domains alter column expires_at drop not null;
alter table promised_domains alter column expires_at drop not null;
