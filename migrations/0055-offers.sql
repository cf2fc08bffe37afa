-- What buyers offer for names that are for sale (contract, section 18).
alter table listings
  -- Whether it takes offers, and the least that one may be.
  add column offers text not null default 'open' check (offers in ('off', 'open')),
  add column min_offer_cents bigint check (min_offer_cents > 0);

-- What an accepted offer reserves the name by: a partner's quote, or the checkout of a buyer on our own pages.
alter table quotes
  add column offer_id text;
create index quotes_of_offers on quotes (partner_id, environment, id desc) where offer_id is not null;
alter table checkout_sessions
  add column offer_id text;

create table offers (
  offer_id text primary key,
  -- Who made it for the buyer: the marketplace itself, for those who came to its pages.
  partner_id text not null references partners,
  environment environment not null,
  domain text not null,
  -- Whose domain it was when the offer was made; null: operators respond.
  seller_id text references users,
  status text not null check (status in ('open', 'countered', 'accepted', 'declined', 'expired', 'withdrawn')),
  -- Whose response is awaited; null once it has ended.
  turn text check (turn in ('seller', 'buyer')),
  amount_cents bigint not null check (amount_cents > 0),
  currency text not null,
  buyer jsonb not null,
  -- How long each side has to respond.
  valid_hours integer not null,
  history jsonb not null,
  closed_by text check (closed_by in ('seller', 'buyer')),
  closing_message text,
  quote_id text references quotes,
  session_id text,
  -- The links by which either side responds without signing in.
  buyer_hash bytea not null,
  buyer_sealed bytea not null,
  seller_hash bytea not null,
  seller_sealed bytea not null,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  -- When it expires; once accepted, when the reservation ends.
  expires_at timestamptz not null,
  ended_at timestamptz,
  foreign key (environment, domain) references listings,
  check ((turn is null) = (ended_at is not null)),
  check ((status in ('open', 'countered')) = (ended_at is null))
);
create unique index offers_by_buyer_link on offers (buyer_hash);
create unique index offers_by_seller_link on offers (seller_hash);
create index offers_by_partner on offers (partner_id, environment, offer_id desc);
create index offers_by_seller on offers (seller_id, offer_id desc) where seller_id is not null;
create index offers_by_buyer on offers (lower(buyer ->> 'email'), offer_id desc);
create index offers_running on offers (environment, domain) where ended_at is null;
create index offers_due on offers (expires_at) where ended_at is null;
