-- What the registry said of an order's domain when its transfer started and when it ended, as far as it was asked.
alter table orders
  add column transfer_registry jsonb,
  -- Of the receipt that proves the delivery, made in the transaction that completes the order.
  add column receipt_id text;
-- Delivered before there were receipts, or by an instance that did not make them: a job makes those.
create index orders_without_receipt on orders (public_id)
  where receipt_id is null and status in ('TRANSFER_COMPLETED', 'SETTLED');

-- The token as it was signed: it never changes, whatever becomes of the order, its partner and the signing keys.
create table delivery_receipts (
  receipt_id text primary key,
  public_id text not null unique references orders on delete cascade,
  token text not null,
  created_at timestamptz not null
);

-- SHA-256 of the token as it was given out, in hex; null of quotes of old.
alter table quotes
  add column token_sha256 text;

-- A seller's sales, newest first.
create index orders_of_seller on orders (seller_id, public_id) where seller_id is not null;
