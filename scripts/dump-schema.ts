import { writeFile } from 'node:fs/promises'
import { openEmbedded } from '../src/db/embedded.ts'
import { migrate } from '../src/db/migrate.ts'
import { describeSchema } from './describe-schema.ts'

const FILE = new URL('../migrations/schema.sql', import.meta.url)

const server = await openEmbedded('memory://')
await migrate(server)
await writeFile(FILE, await describeSchema(server))
await server.close()
