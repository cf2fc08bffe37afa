import { execFile } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync } from 'node:fs'
import { copyFile, mkdir, readdir, readFile, rm, stat, symlink } from 'node:fs/promises'
import { join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { CACHE, cached } from './cached.ts'

const run = promisify(execFile)
const ROOT = fileURLToPath(new URL('../../', import.meta.url))
const TSC = join(ROOT, 'node_modules/typescript/bin/tsc')
/** What is next to `dist/` where the service is built, and read from there. */
const BESIDE = ['assets', 'docs', 'examples', 'migrations', 'package.json', 'registries', 'seed']
const UNUSED_AFTER_MS = 3_600_000

let made: Promise<string> | undefined

/**
 * The folder `dist/` of the service as it stands, compiled once for each state of its sources. A process that runs from
 * it starts with half the work of one that compiles what it loads, and the tests start hundreds.
 */
export function builtService(): Promise<string> {
  made ??= build()
  return made
}

async function build(): Promise<string> {
  const workspaces = await readdir(join(ROOT, 'packages'), { withFileTypes: true })
  const packages = workspaces.filter((entry) => entry.isDirectory()).map(({ name }) => name)
  const folder = await cached(`built-${await fingerprint(packages)}`, async (draft) => {
    await removeUnused()
    await mkdir(join(draft, 'node_modules'), { recursive: true })
    await Promise.all(BESIDE.map((name) => symlink(join(ROOT, name), join(draft, name))))
    await emit(ROOT, join(draft, 'dist'))
    for (const name of packages) await buildPackage(join(ROOT, 'packages', name), draft)
  })
  return join(folder, 'dist')
}

async function buildPackage(from: string, draft: string): Promise<void> {
  const { name } = JSON.parse(await readFile(join(from, 'package.json'), 'utf8'))
  const to = join(draft, 'node_modules', name)
  await mkdir(to)
  await copyFile(join(from, 'package.json'), join(to, 'package.json'))
  await emit(from, join(to, 'dist'))
  const lexicon = join(from, 'lexicon')
  if (existsSync(lexicon)) await symlink(lexicon, join(to, 'lexicon'))
}

/** `npm run check` looks at the types. */
async function emit(project: string, outDir: string): Promise<void> {
  const config = join(project, 'tsconfig.build.json')
  await run(process.execPath, [TSC, '-p', config, '--noCheck', '--outDir', outDir])
}

async function fingerprint(packages: string[]): Promise<string> {
  const hash = createHash('sha256')
  for (const folder of ['src', ...packages.map((name) => `packages/${name}/src`)]) {
    const files = await readdir(join(ROOT, folder), { recursive: true, withFileTypes: true })
    for (const file of files.filter((entry) => entry.isFile())) {
      const path = join(file.parentPath, file.name)
      hash.update(relative(ROOT, path)).update(await readFile(path))
    }
  }
  return hash.digest('hex').slice(0, 16)
}

/** Of earlier states, which nobody runs from by now. */
async function removeUnused(): Promise<void> {
  for (const name of await readdir(CACHE)) {
    const path = join(CACHE, name)
    const isOld = Date.now() - (await stat(path)).mtimeMs > UNUSED_AFTER_MS
    if (name.startsWith('built-') && isOld) await rm(path, { recursive: true, force: true })
  }
}
