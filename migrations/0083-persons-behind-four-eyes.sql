-- Who answers for an act, whatever they are called: the id of the user who signed in or who made the token, of the token
-- where it was made with the installation's, or `admin token`. Rows from before have none and keep the name that they were
-- made with.
alter table payouts add column created_by_person text;
alter table goodwill_refunds add column requested_by_person text;
alter table refund_requests add column requested_by_person text;
-- Older tokens belong to whoever has the address of their maker now.
alter table admin_tokens add column person text;
update admin_tokens t set person = u.id from users u where u.email = t.created_by;
