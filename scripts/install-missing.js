// Runs before `npm start`, so that a fresh checkout starts with that one command, on whatever system.
import { spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, writeFileSync } from 'node:fs'

const npm = process.env['npm_execpath']
if (!existsSync('node_modules') && npm) {
  const args = [npm, 'ci', '--no-audit', '--no-fund']
  process.exitCode = spawnSync(process.execPath, args, { stdio: 'inherit' }).status ?? 1
}

// `start` begins with `exec`: npm signals the shell that it runs a script in, and the service must take that shell's
// place to be told. A command of that name is all that cmd.exe needs to understand it.
if (process.platform === 'win32') {
  mkdirSync('node_modules/.bin', { recursive: true })
  writeFileSync('node_modules/.bin/exec.cmd', '@%*\r\n')
}
