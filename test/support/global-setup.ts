import { spawnSync } from 'node:child_process'
import { prepareTemplate } from './database.ts'

/** Compiles what tests start as a process, and migrates and seeds once for all test files: each starts from a copy. */
export default async function setup(): Promise<void> {
  const compiler = ['node_modules/typescript/bin/tsc', '-b', 'tsconfig.build.json']
  const { status } = spawnSync(process.execPath, compiler, { stdio: 'inherit' })
  if (status !== 0) throw new Error('the service cannot be compiled')
  await prepareTemplate()
}
