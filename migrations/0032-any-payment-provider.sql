-- Which providers there are the registry of the code says: a new one needs no migration.
alter table charges drop constraint charges_provider_check;
alter table payment_methods drop constraint payment_methods_provider_check;
alter table payments drop constraint payments_provider_check;
