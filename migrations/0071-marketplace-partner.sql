-- Operators see it beside the orders that no partner brought.
update partners set name = 'The marketplace'
where id = 'prt_00000000000000000000000000' and name = 'The house';
