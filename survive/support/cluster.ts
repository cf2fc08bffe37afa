import { execFile } from 'node:child_process'
import { chownSync, existsSync, readdirSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir, userInfo } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { freePort } from '../../test/support/process.ts'
import { Skipped } from '../proof.ts'

const run = promisify(execFile)
const INSTALLED = '/usr/lib/postgresql'

export interface Cluster {
  url: string
  port: number
  /** As after a crash of the server: nothing is written out first. */
  restart(): Promise<void>
  stop(): Promise<void>
}

/** A PostgreSQL server of one's own, which may be restarted: nobody else is on it. */
export async function startCluster(): Promise<Cluster> {
  const [version] = existsSync(INSTALLED) ? readdirSync(INSTALLED).toSorted().toReversed() : []
  const bin = version && join(INSTALLED, version, 'bin')
  if (!bin || !existsSync(join(bin, 'initdb'))) throw new Skipped('no PostgreSQL binaries')
  const owner = await unprivileged()
  const folder = await mkdtemp(join(tmpdir(), 'marketplace-cluster-'))
  chownSync(folder, owner.uid, owner.gid)
  const port = await freePort()
  const data = join(folder, 'data')
  const control = async (...args: string[]) => {
    await run(
      join(bin, 'pg_ctl'),
      ['-D', data, '-w', '-s', '-l', join(folder, 'log'), ...args],
      owner,
    )
  }
  await run(join(bin, 'initdb'), ['-D', data, '-U', 'postgres', '-A', 'trust', '-N'], owner)
  await control('-o', `-p ${port} -k ${folder} -c listen_addresses=127.0.0.1`, 'start')
  return {
    url: `postgres://postgres@127.0.0.1:${port}/postgres`,
    port,
    restart: () => control('-m', 'immediate', 'restart'),
    async stop() {
      await control('-m', 'immediate', 'stop')
      await rm(folder, { recursive: true, force: true })
    },
  }
}

/** PostgreSQL rejects to run as root; then as its own user. */
async function unprivileged(): Promise<{ uid: number; gid: number; cwd: string }> {
  const { uid, gid } = userInfo()
  if (uid !== 0) return { uid, gid, cwd: tmpdir() }
  const ids = await Promise.all(['-u', '-g'].map((flag) => run('id', [flag, 'postgres'])))
  const [postgres = 0, group = 0] = ids.map(({ stdout }) => Number(stdout))
  return { uid: postgres, gid: group, cwd: tmpdir() }
}
