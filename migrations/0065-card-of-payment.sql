-- What paid, as its owner knows it: the brand of the card and its last digits, which is all that is kept of it.

alter table payments add column card text;
