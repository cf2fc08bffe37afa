import { randomBytes } from 'node:crypto'
import { existsSync } from 'node:fs'
import { mkdir, rename, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

/** What tests make once for many runs, by names that change with what it is made of. */
export const CACHE = fileURLToPath(
  new URL('../../node_modules/.cache/marketplace-tests/', import.meta.url),
)

/** The path of a file or folder of the cache, made first if it is missing. It is renamed into place, so nobody finds half of it. */
export async function cached(
  name: string,
  make: (draft: string) => Promise<void>,
): Promise<string> {
  const path = join(CACHE, name)
  if (existsSync(path)) return path
  await mkdir(CACHE, { recursive: true })
  const draft = `${path}.${randomBytes(4).toString('hex')}`
  await make(draft)
  // A run beside this one may have made it first, and the same.
  await rename(draft, path).catch(() => rm(draft, { recursive: true }))
  return path
}
