-- What the seller says of a name, in plain text; null: nothing.
alter table listings
  add column description text check (char_length(description) between 1 and 2000);

-- Who looked at a name's page or lander on a day, and who went on to buy it or made an offer.
create table name_days (
  domain text not null,
  date date not null,
  page_views integer not null default 0,
  lander_views integer not null default 0,
  leads integer not null default 0,
  primary key (domain, date)
);
create index name_days_date on name_days (date);
