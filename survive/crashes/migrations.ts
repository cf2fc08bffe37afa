import { setTimeout as pause } from 'node:timers/promises'
import { openEmbedded } from '../../src/db/embedded.ts'
import { connectPostgres } from '../../src/db/postgres.ts'
import { emptyDatabase, newFolder, start } from '../../test/support/process.ts'
import { proxyTo, through } from '../../test/support/proxy.ts'
import { hold, type Proof, Skipped } from '../proof.ts'

const TABLES = `select count(*)::int as made from information_schema.tables where table_schema = 'public'`

/** Kills first starts before they are up, and then lets one succeed on what they left. */
export function killedMigrations(kind: 'embedded' | 'postgresql'): Proof {
  return {
    name: `kill -9 in mid-migration, ${kind}`,
    async run(trial) {
      if (kind === 'postgresql' && !trial.postgres) throw new Skipped('no TEST_DATABASE_URL')
      const { random } = trial
      const count = trial.size({ quick: 2, ci: 4, release: 20 })
      const leftBehind = new Map<string, number>()
      for (let round = 0; round < count; round++) {
        const DATA_DIR = await newFolder()
        const database = kind === 'postgresql' ? await emptyDatabase() : undefined
        const proxy = database && (await proxyTo(database.url))
        const variables = {
          DATA_DIR,
          LOG_LEVEL: 'error',
          ...(proxy && database && { DATABASE_URL: through(proxy, database.url) }),
        }
        const controller = new AbortController()
        const killed = start(variables, controller.signal).then(
          (service) => service.kill(),
          () => undefined,
        )
        if (proxy) {
          let left = 1 + random.below(40)
          proxy.watch({
            client() {
              if (--left === 0) controller.abort()
              return true
            },
          })
          await Promise.race([killed, pause(8_000)])
        } else {
          await Promise.race([killed, pause(200 + random.below(3_300))])
        }
        controller.abort()
        await killed
        proxy?.watch({})

        if (database) {
          const server = connectPostgres(database.url, 2)
          const { rows } = await server.query(TABLES, [])
          await server.close()
          const found = rows[0]?.made === 0 ? 'nothing' : 'all of the schema'
          leftBehind.set(found, (leftBehind.get(found) ?? 0) + 1)
        }
        const service = await start(variables)
        hold((await service.stop()).code === 0, 'the start after the kill did not stop in order')
        const server = database
          ? connectPostgres(database.url, 2)
          : await openEmbedded(`${DATA_DIR}/database`)
        const { rows } = await server.query('select count(*)::int as made from migrations', [])
        await server.close()
        hold(Number(rows[0]?.made) > 0, 'no migration is noted')
        proxy?.close()
        await database?.drop()
      }
      for (const [what, times] of leftBehind) trial.say(`${times} times ${what} was left behind`)
      return `${count} first starts killed, each next one came up`
    },
  }
}
