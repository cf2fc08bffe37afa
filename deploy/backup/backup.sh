#!/bin/sh
# Backs up the database that PGHOST, PGUSER, PGPASSWORD and PGDATABASE name, as pg_dump takes them, to a new file in
# BACKUPS, and removes files there that are older than BACKUP_KEEP_DAYS. SECRETS_KEY is not in it: keep that elsewhere.
set -eu
umask 077
backups=${BACKUPS:-/backups}
file=$backups/marketplace-$(date -u +%Y%m%dT%H%M%SZ).dump
trap 'rm -f "$file.part"' EXIT
pg_dump --format=custom --file="$file.part"
# Fails if the dump cannot be read back.
pg_restore --list "$file.part" > /dev/null
mv "$file.part" "$file"
find "$backups" -name 'marketplace-*.dump' -mtime "+${BACKUP_KEEP_DAYS:-30}" -delete
echo "$file"
