-- Whose account is linked to the affiliate account of a partner: asked within each payment that came by a link.
create index users_affiliates on users (affiliate_id) where affiliate_id is not null;
