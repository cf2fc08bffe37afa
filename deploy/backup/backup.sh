#!/bin/sh
# Backs up the database that PGHOST, PGUSER, PGPASSWORD and PGDATABASE name, as pg_dump takes them, to a new file in
# BACKUPS, and removes files there that are older than BACKUP_KEEP_DAYS. SECRETS_KEY is not in it: keep that elsewhere.
set -eu
umask 077
backups=${BACKUPS:-/backups}
file=$backups/marketplace-$(date -u +%Y%m%dT%H%M%SZ).dump
trap 'rm -f "$file.part"' EXIT
# Without this, a shell that a signal ends skips the line above.
trap 'exit 1' HUP INT TERM
# What runs that were killed have left; a run that goes on writes to its file.
find "$backups" -name 'marketplace-*.dump.part' -mmin +60 -delete
# A database that waits for its restore is no reason to remove old backups.
migrations=$(psql --no-psqlrc --tuples-only --no-align --command "select to_regclass('public.migrations')")
if [ -z "$migrations" ]; then
  echo "backup.sh: the database has no tables of the service: nothing was backed up" >&2
  exit 1
fi
pg_dump --format=custom --file="$file.part"
# Fails if the dump cannot be read back.
pg_restore --list "$file.part" > /dev/null
mv "$file.part" "$file"
find "$backups" -name 'marketplace-*.dump' -mtime "+${BACKUP_KEEP_DAYS:-30}" -delete
echo "$file"
