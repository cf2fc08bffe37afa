-- The partner portal: live access on request, totals by day, replays of events, a log of requests.

-- Live access

create table live_requests (
  id text primary key,
  partner_id text not null references partners,
  status text not null check (status in ('pending', 'approved', 'declined')),
  -- What the partner sells, and where.
  use_case text not null,
  website text,
  requested_by text not null,
  -- The operator's word to the partner.
  reason text,
  created_at timestamptz not null,
  decided_at timestamptz,
  check ((status = 'pending') = (decided_at is null))
);
create unique index live_requests_one_pending on live_requests (partner_id) where status = 'pending';
create index on live_requests (partner_id, id desc);
create index on live_requests (status, id desc);

-- Lists of the portal

create index on quotes (partner_id, environment, id desc);
create index on quotes (partner_id, environment, domain);
create index on checkout_sessions (partner_id, environment, domain);
create index on events (partner_id, environment, type, position);
-- What an event is about: an order or a case.
create index events_by_subject on events
  ((coalesce(data -> 'order' ->> 'public_id', data -> 'case' ->> 'case_id')));

-- Replays: the events of a span of time, sent again.

create table webhook_replays (
  id text primary key,
  endpoint_id text not null references webhook_endpoints,
  partner_id text not null references partners,
  environment environment not null,
  from_at timestamptz not null,
  to_at timestamptz not null,
  types text[],
  status text not null check (status in ('running', 'done', 'cancelled')),
  -- The last event that was queued, and the last of the span.
  position bigint not null,
  last_position bigint not null,
  event_count bigint not null,
  queued_count bigint not null,
  created_at timestamptz not null,
  ended_at timestamptz,
  check ((status = 'running') = (ended_at is null))
);
create unique index webhook_replays_one_running on webhook_replays (endpoint_id)
  where status = 'running';
create index on webhook_replays (endpoint_id, id desc);

alter table webhook_deliveries add column replay_id text references webhook_replays;
create index webhook_deliveries_of_replay on webhook_deliveries (replay_id, status)
  where replay_id is not null;

create index webhook_attempts_failed on webhook_attempts (endpoint_id, id desc)
  where response_status is null or response_status not between 200 and 299;

-- The log of partners' requests, kept for some days.

create table request_log (
  -- The request's own id, as in X-Request-Id: it sorts by time.
  id text primary key,
  partner_id text not null,
  environment environment not null,
  key_id text not null,
  method text not null,
  -- What was asked, as the documents write it; null where there is nothing.
  route text,
  target text not null,
  status integer not null,
  -- Why it was refused.
  code text,
  message text,
  -- Whether its signature was right.
  authenticated boolean not null,
  canonical_string text,
  likely_cause text,
  address text not null,
  duration_ms real not null,
  at timestamptz not null
);
create index on request_log (partner_id, environment, id desc);
create index request_log_by_code on request_log (partner_id, environment, code, id desc)
  where code is not null;
create index request_log_by_route on request_log (partner_id, environment, route, id desc);
