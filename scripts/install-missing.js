// Runs before `npm start`, so that a fresh checkout starts with that one command.
import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'

const npm = process.env['npm_execpath']
if (!existsSync('node_modules') && npm) {
  const args = [npm, 'ci', '--no-audit', '--no-fund']
  process.exitCode = spawnSync(process.execPath, args, { stdio: 'inherit' }).status ?? 1
}
