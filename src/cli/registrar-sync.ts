import { setTimeout as pause } from 'node:timers/promises'
import { domainsIn } from './field-options.ts'
import { Failed, readText, type Terminal } from './terminal.ts'

interface Sync {
  sync_id: string
  status: string
  total: number
  found: number
  missing: number
  failed: number
  problem: string | null
}

const EVERY_MS = 500

/** Starts a sync, and follows it to its end unless it is not to be waited for. */
export async function syncRegistrar(
  { ask, print }: Terminal,
  name: string,
  file: string,
  isFollowed: boolean,
): Promise<void> {
  const domains = domainsIn(readText(file))
  if (domains.length === 0) throw new Failed(`error: ${file} names no domains`)
  const path = `/registrars/${encodeURIComponent(name)}/syncs`
  let sync = (await ask('POST', path, { domains })) as Sync
  while (isFollowed && sync.status === 'running') {
    await pause(EVERY_MS)
    sync = (await ask('GET', `/registrar-syncs/${sync.sync_id}`)) as Sync
    if (process.stderr.isTTY) process.stderr.write(`\r${progress(sync)} of ${sync.total} read`)
  }
  print(sync)
  if (sync.status === 'failed') throw new Failed(`error: no domain was read: ${sync.problem}`)
}

function progress({ found, missing, failed }: Sync): number {
  return found + missing + failed
}
