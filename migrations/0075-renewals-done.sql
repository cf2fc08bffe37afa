-- Whether a name was renewed from an expiry that its registry has not moved yet.
create index renewals_done on renewals (domain, from_expires_at) where status in ('renewed', 'paid');
