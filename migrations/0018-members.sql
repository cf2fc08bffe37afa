-- How a partner's members let others in, and what a receiver answered.

create table partner_invitations (
  id text primary key,
  partner_id text not null references partners,
  -- In lower case, as accounts have theirs.
  email text not null check (email = lower(email)),
  token_hash bytea not null unique,
  invited_by text not null references users,
  created_at timestamptz not null,
  expires_at timestamptz not null,
  -- Accepted or withdrawn: kept until it would have lapsed, since the mail has gone out.
  ended_at timestamptz
);
create unique index partner_invitations_open on partner_invitations (partner_id, email)
  where ended_at is null;
create index on partner_invitations (partner_id, expires_at);
create index on partner_invitations (expires_at);

-- How the answer's body began; null where there was none.
alter table webhook_attempts add column response_body text;
