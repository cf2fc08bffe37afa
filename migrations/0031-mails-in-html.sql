-- What a mail says, as HTML; null for one that is text alone, and, like its text, once it was sent.
alter table mails add column html text;
