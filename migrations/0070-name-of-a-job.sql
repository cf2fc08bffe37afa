-- It has the name that the rest of the code gives to sessions of our own pages.
update scheduled_jobs set name = 'purge_marketplace_sessions' where name = 'purge_house_sessions';
