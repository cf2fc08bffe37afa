-- Of a sale that is taken back after a bank gave the buyer a part, the rest goes back; null is all of it.
alter table payments add column refund_cents bigint check (refund_cents > 0);
