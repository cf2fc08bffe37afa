-- Whether the operation removed a status that protects its domain, and has not seen it put back.
alter table registrar_operations add column protection_removed boolean not null default false;
