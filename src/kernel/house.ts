import type { Clock } from '../lib/clock.ts'
import type { GuardedHttp } from '../lib/guarded-http.ts'
import type { SecretBox } from '../lib/secret-box.ts'
import type { Database } from './database/dialect.ts'
import type { DatabaseServer } from './database/server.ts'
import type { Mail } from './mail.ts'
import type { Settings } from './settings.ts'
import type { SigningKey } from './signing-key.ts'

/** What the whole service shares, put together once by hand in `app.ts`. */
export interface House {
  settings: Settings
  clock: Clock
  server: DatabaseServer
  db: Database
  secrets: SecretBox
  signingKey: SigningKey
  http: GuardedHttp
  mail: Mail
  log: Log
}

/** The part of pino that the rooms below the surfaces use. */
export interface Log {
  info(fields: object, message: string): void
  warn(fields: object, message: string): void
  error(fields: object, message: string): void
}
