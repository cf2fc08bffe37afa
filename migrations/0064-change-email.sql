-- A link mailed to an address that an account is to have shows that it is its owner's.

alter table mailed_links
  add column new_email text,
  drop constraint mailed_links_purpose_check,
  add constraint mailed_links_purpose_check
    check (purpose in ('reset_password', 'confirm_email', 'change_email')),
  add constraint mailed_links_new_email_check
    check ((purpose = 'change_email') = (new_email is not null));
