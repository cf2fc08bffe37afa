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
