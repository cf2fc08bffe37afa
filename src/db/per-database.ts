import type { Database } from './dialect.ts'

/** What each database has one of, made when it is first asked for: a process may have several databases. */
export function perDatabase<T extends object>(make: (db: Database) => T): (db: Database) => T {
  const made = new WeakMap<Database, T>()
  return (db) => {
    const known = made.get(db)
    if (known) return known
    const value = make(db)
    made.set(db, value)
    return value
  }
}
