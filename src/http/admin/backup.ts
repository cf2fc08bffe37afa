import { promisify } from 'node:util'
import { gzip } from 'node:zlib'
import { z } from 'zod'
import type { AppContext } from '../../core/context.ts'
import { conflict } from '../../core/errors.ts'
import { adminWrite } from '../../core/operation.ts'
import { ADMINS } from '../../core/roles.ts'
import { sha256Hex } from '../../lib/signature.ts'

/** All that was committed, at one moment, while the service runs. Secrets stay sealed in it. */
export const makeBackup = adminWrite({
  name: 'make_backup',
  roles: ADMINS,
  recent: true,
  summary: 'Back up the embedded database',
  description:
    'The whole embedded database as a compressed file, which `restore` starts from. Keep `SECRETS_KEY`, or the file ' +
    '`secrets.key` of the data folder, in another place: without it a backup is of no use. For PostgreSQL use its own ' +
    'tools.',
  method: 'POST',
  path: '/backups',
  input: z.object({}),
  output: z.object({
    made_at: z.iso.datetime().describe('When it was made.'),
    size_bytes: z.int().describe('How large the file is.'),
    sha256: z.string().describe('The SHA-256 of the file, in hexadecimal.'),
    file: z.base64().describe('The file: a tar archive, compressed with gzip.'),
  }),
  status: 201,
  errors: ['conflict'],
  audited: (_input, { size_bytes, sha256 }) => ({ size_bytes, sha256 }),
  prepare: async ({ app }) => await compress(await dump(app)),
  async handler({ now, prepared: file }) {
    return {
      made_at: now.toISOString(),
      size_bytes: file.length,
      sha256: sha256Hex(file),
      file: file.toString('base64'),
    }
  },
})

const compress = promisify<Uint8Array, Buffer>(gzip)

async function dump({ server }: AppContext): Promise<Uint8Array> {
  if (server.dump) return await server.dump()
  throw conflict('not_applicable', 'The database is PostgreSQL: back it up with its own tools.')
}
