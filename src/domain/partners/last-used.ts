import { sql } from 'kysely'
import type { Database } from '../../db/dialect.ts'

/**
 * Notes when each credential was last used. Kept in memory and written every few seconds, so that a
 * request costs no write; a killed process forgets those seconds.
 */
export function lastUsed(db: Database) {
  let noted = new Map<string, Date>()
  return {
    note(keyId: string, now: Date): void {
      noted.set(keyId, now)
    },
    async flush(): Promise<void> {
      if (noted.size === 0) return
      const batch = noted
      noted = new Map()
      try {
        await sql`
          update credentials c set last_used_at = greatest(c.last_used_at, u.at)
          from unnest(${[...batch.keys()]}::text[], ${[...batch.values()]}::timestamptz[])
            as u (key_id, at)
          where c.key_id = u.key_id`.execute(db)
      } catch (error) {
        // For the next time, but for what was used since.
        noted = new Map([...batch, ...noted])
        throw error
      }
    },
  }
}
