#!/bin/sh
# Restores FILE, which backup.sh wrote, to the database that PGHOST, PGUSER, PGPASSWORD and PGDATABASE name: all of it or
# nothing. The database has to be there and be empty. Stop the service first.
set -eu
file=${1:?usage: restore.sh FILE}
tables=$(psql --no-psqlrc --tuples-only --no-align --command "select count(*) from pg_tables where schemaname = 'public'")
if [ "$tables" != 0 ]; then
  echo "restore.sh: the database has $tables tables; restore to an empty one" >&2
  exit 1
fi
pg_restore --exit-on-error --single-transaction --no-owner --no-privileges --dbname="${PGDATABASE:?}" "$file"
