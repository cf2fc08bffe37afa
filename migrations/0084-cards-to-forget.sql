-- When the provider is next told to forget the card of somebody who was erased; null: it is not to, or it has.
-- Cards that were erased before have no reference left by which a provider could forget them.
alter table payment_methods add column forget_due_at timestamptz;
create index payment_methods_to_forget on payment_methods (forget_due_at) where forget_due_at is not null;
