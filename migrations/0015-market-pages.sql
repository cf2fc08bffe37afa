-- What the marketplace's and the account's pages look for.

-- Short names, wherever they stand in the order of a list.
create index listings_by_length on listings (environment, char_length(label))
  where status = 'listed';

-- What somebody bought, and what they had a broker ask for, by the address that is confirmed to be theirs.
create index orders_by_buyer on orders (lower(buyer->>'email'), public_id desc)
  where payment_model = 'hosted_checkout';
create index brokerage_cases_by_buyer on brokerage_cases (lower(buyer_email), case_id desc);

-- What somebody renewed, newest first.
create index renewals_by_user on renewals (user_id, id desc);

-- The house earns no commission of itself.
update partners set brokerage_bps = 0 where id = 'prt_00000000000000000000000000';
