import { execFileSync, spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import { describe, expect, test } from 'vitest'

const { workspaces }: { workspaces: string[] } = JSON.parse(readFileSync('package.json', 'utf8'))

describe('npm scripts', () => {
  // `&&` means the same to sh and to cmd.exe; nothing else of a shell does.
  const PLAIN = /^[\w@./:-]+(?: [\w@./:=-]+)*$/
  const FOREIGN = /^(?:exec|rm|cp|mv|mkdir|chmod|touch|cat|sh|bash|test|export|[A-Z_]+=.*)\b/

  test.each(['.', ...workspaces])('of %s have no shell syntax', (workspace) => {
    const { scripts } = JSON.parse(readFileSync(join(workspace, 'package.json'), 'utf8'))
    // Of this one shell word a start on Windows makes a command.
    if (workspace === '.') scripts.start = scripts.start.replace(/^exec /, '')
    const commands = Object.values<string>(scripts).flatMap((script) => script.split(' && '))
    expect(commands.filter((one) => !PLAIN.test(one) || FOREIGN.test(one))).toEqual([])
  })

  test('install what is missing before the first start, and nothing after it', () => {
    const folder = mkdtempSync(join(tmpdir(), 'start-'))
    const npm = join(folder, 'npm.js')
    writeFileSync(npm, 'console.log(process.argv.slice(2).join(" ")); process.exitCode = 3')
    const start = () =>
      spawnSync(process.execPath, [resolve('scripts/install-missing.js')], {
        cwd: folder,
        env: { ...process.env, npm_execpath: npm },
        encoding: 'utf8',
      })
    const { stdout, status } = start()
    expect({ stdout, status }).toEqual({ stdout: 'ci --no-audit --no-fund\n', status: 3 })
    mkdirSync(join(folder, 'node_modules'))
    expect(start()).toMatchObject({ stdout: '', status: 0 })
    const asWindows = [
      "Object.defineProperty(process, 'platform', { value: 'win32' })",
      `await import(${JSON.stringify(pathToFileURL(resolve('scripts/install-missing.js')).href)})`,
    ]
    execFileSync(process.execPath, ['--input-type=module', '-e', asWindows.join('\n')], {
      cwd: folder,
    })
    expect(readFileSync(join(folder, 'node_modules/.bin/exec.cmd'), 'utf8')).toBe('@%*\r\n')
    rmSync(folder, { recursive: true })
  })
})

test('every text of the repository ends its lines as Unix does', () => {
  const listed = execFileSync('git', ['ls-files', '--eol'], { encoding: 'utf8' })
  const others = listed.split('\n').filter((line) => /^i\/(?:crlf|mixed)/.test(line))
  expect(others.filter((line) => !/attr\/-text/.test(line))).toEqual([])
})
