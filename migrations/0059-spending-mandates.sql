-- What a user lets an app spend. What was spent is the sum of the payments that the app made.
create table mandates (
  grant_id text primary key references oauth_grants on delete cascade,
  max_per_order_cents bigint not null check (max_per_order_cents > 0),
  max_total_cents bigint not null check (max_total_cents >= max_per_order_cents),
  currency text not null,
  expires_at timestamptz not null
);

-- A narrower scope than the consent's, when a refresh asked for one.
alter table oauth_tokens
  add column scope text;

-- An app bought by the session, within the mandate of the grant; null: a person.
alter table checkout_sessions
  add column app_grant_id text,
  add column app_client_id text,
  add column app_user_id text references users,
  add column app_name text;
create index on checkout_sessions (app_grant_id) where app_grant_id is not null;
create index on checkout_sessions (app_user_id) where app_user_id is not null;

-- The saved card that a payment was made with, without the buyer; null: the buyer paid.
alter table payments
  add column payment_method_id text references payment_methods;

-- A buyer may take back what an app bought for them.
alter table refunds drop constraint refunds_requested_by_check;
alter table refunds add constraint refunds_requested_by_check
  check (requested_by in ('partner', 'operator', 'buyer'));
