-- When the seller of an order was last reminded to give its transfer code.
alter table orders add column code_reminded_at timestamptz;
