-- A path that begins with two slashes is another host's address; links to such were taken once.
update referral_links set destination = '/' where destination like '//%';
