-- Citus distributes no table that has a trigger. The statements that change listings set `changed_in` and mark the
-- watches of a listing themselves.
drop trigger listings_note_change on listings;
drop function note_listing_change();
drop trigger listings_note_watched on listings;
drop function note_watched_listing();
