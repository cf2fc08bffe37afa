-- The file of a batch cannot be read again once the key that it was sealed with is lost.
alter table payout_batches alter column file drop not null;
