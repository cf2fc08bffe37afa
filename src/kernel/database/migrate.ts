import { readdir, readFile } from 'node:fs/promises'
import { Migrator, sql } from 'kysely'
import type { Database } from './dialect.ts'

const FOLDER = new URL('../../../migrations/', import.meta.url)

/**
 * Brings the schema up to date: each `migrations/*.sql` once, in order of name, all or nothing, never
 * back. Of several instances that start at once one migrates and the others wait for it.
 */
export async function migrate(db: Database): Promise<void> {
  const { error } = await new Migrator({ db, provider: { getMigrations } }).migrateToLatest()
  if (error) throw error
}

async function getMigrations() {
  const files = (await readdir(FOLDER)).filter((name) => /^\d{4}-.*\.sql$/.test(name)).sort()
  const entries = files.map(async (file) => {
    const text = await readFile(new URL(file, FOLDER), 'utf8')
    return [
      file.replace('.sql', ''),
      { up: async (db: Database) => void (await sql.raw(text).execute(db)) },
    ]
  })
  return Object.fromEntries(await Promise.all(entries))
}
