-- Whether the mail server, when it was last tried, took no mail for this recipient, rather than none at all.
alter table mails add column recipient_rejected boolean not null default false;
