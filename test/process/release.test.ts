import { execFile } from 'node:child_process'
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { validate } from 'dockerfile-utils'
import { publint } from 'publint'
import { formatMessage } from 'publint/utils'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { typeProblems } from '../support/type-problems.ts'

const run = promisify(execFile)
const ROOT = fileURLToPath(new URL('../../', import.meta.url))
const read = (file: string) => readFileSync(join(ROOT, file), 'utf8')
const { version, workspaces, bundleDependencies } = JSON.parse(read('package.json'))

let folder: string
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'release-'))
})
afterAll(() => rmSync(folder, { recursive: true }))

describe('a release', () => {
  test('is one version everywhere, with its changes', () => {
    for (const workspace of workspaces) {
      expect(JSON.parse(read(`${workspace}/package.json`)).version, workspace).toBe(version)
      expect(read(`${workspace}/LICENSE`), workspace).toBe(read('LICENSE'))
    }
    expect(/^## (\d\S*)$/m.exec(read('CHANGELOG.md'))?.[1]).toBe(version)
  })

  test('packs what the service runs on, and it runs', async () => {
    await run('npm', ['pack', '--pack-destination', folder], { cwd: ROOT })
    const tarball = join(folder, `domain-marketplace-service-${version}.tgz`)
    await run('tar', ['xzf', tarball, '-C', folder])
    const { stdout } = await run('tar', ['tzf', tarball])
    const files = stdout.trim().split('\n')
    for (const file of ['LICENSE', 'README.md', 'CHANGELOG.md', 'dist/main.js', 'dist/cli.js']) {
      expect(files).toContain(`package/${file}`)
    }
    const tops = new Set(files.map((file) => file.split('/')[1]))
    for (const top of ['src', 'packages', 'test', 'bench', 'data', '.ci', 'client']) {
      expect(tops).not.toContain(top)
    }
    const modules = join(folder, 'package', 'node_modules')
    for (const name of bundleDependencies) {
      const packed = files.filter((file) => file.startsWith(`package/node_modules/${name}/`))
      expect(packed, name).toContain(`package/node_modules/${name}/README.md`)
      expect(packed.filter((file) => /\/(?:src|test)\//.test(file))).toEqual([])
      const { messages, pkg } = await publint({
        pkgDir: join(modules, name),
        pack: false,
        strict: true,
      })
      expect(messages.map((message) => formatMessage(message, pkg))).toEqual([])
    }
    // What `npm install` of the release would fetch.
    for (const name of readdirSync(join(ROOT, 'node_modules'))) {
      if (existsSync(join(modules, name))) continue
      symlinkSync(join(ROOT, 'node_modules', name), join(modules, name))
    }
    const started = run('node', ['dist/main.js'], {
      cwd: join(folder, 'package'),
      env: { PATH: process.env.PATH, PORT: '0', DATA_DIR: join(folder, 'data') },
    })
    const ended = started.catch(({ stderr }: { stderr: string }) => stderr)
    await expect
      .poll(() => existsSync(join(folder, 'data', 'address')), { timeout: 60_000 })
      .toBe(true)
    const address = readFileSync(join(folder, 'data', 'address'), 'utf8').trim()
    for (const path of ['/health/ready', '/docs', '/openapi.json']) {
      expect((await fetch(address + path)).status, path).toBe(200)
    }
    const search = await fetch(`${address}/api/domain/search`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: '{"q":"petpantry"}',
    })
    expect(search.status).toBe(200)
    started.child.kill('SIGTERM')
    expect(await ended).toMatchObject({ stderr: '' })
  }, 240_000)

  test('packs packages that are right for ES modules and for CommonJS', async () => {
    const each = workspaces.filter((workspace: string) => workspace.startsWith('packages/'))
    const packing = each.flatMap((workspace: string) => ['--workspace', workspace])
    // The test before has built them.
    const options = ['--ignore-scripts', '--pack-destination', folder]
    await run('npm', ['pack', ...options, ...packing], { cwd: ROOT })
    for (const name of bundleDependencies) {
      expect(await typeProblems(join(folder, `${name}-${version}.tgz`)), name).toEqual([])
      const { stdout: required } = await run(
        'node',
        ['-p', `Object.keys(require(${JSON.stringify(name)})).length`],
        { cwd: ROOT },
      )
      expect(Number(required), name).toBeGreaterThan(0)
    }
  }, 240_000)

  test('has a bill of materials, which tells what is shipped from what it is made with', async () => {
    const { stdout } = await run('npm', ['run', '-s', 'sbom'], { cwd: ROOT })
    interface Component {
      name: string
      purl: string
      properties: { name: string }[]
    }
    const bill: { bomFormat: string; components: Component[] } = JSON.parse(stdout)
    expect(bill.bomFormat).toBe('CycloneDX')
    const { dependencies } = JSON.parse(read('package.json'))
    const shipped = bill.components.filter(
      ({ properties }) => !properties.some(({ name }) => name === 'cdx:npm:package:development'),
    )
    // npm names what lies in this repository by its folder, and identifies it by its package URL.
    const shippedVersions = shipped.map(({ purl }) =>
      decodeURIComponent(purl.slice('pkg:npm/'.length)),
    )
    const names = shippedVersions.map((name) => name.slice(0, name.lastIndexOf('@')))
    expect(names).toEqual(expect.arrayContaining(Object.keys(dependencies)))
    expect(names).not.toContain('vitest')
    expect(bill.components.map(({ name }) => name)).toContain('vitest')
    for (const { name, purl } of bill.components) expect(purl, name).toMatch(/^pkg:npm\//)
  }, 60_000)
})

describe('the container file', () => {
  const text = read('Containerfile')

  test('is well-formed', () => {
    expect(validate(text).map(({ message, range }) => [range.start.line + 1, message])).toEqual([])
  })

  test('copies what is there, and all that the package ships', () => {
    const copied = [...text.matchAll(/^COPY (?!--from)(.+) \S+$/gm)].flatMap(([, files = '']) =>
      files.split(' '),
    )
    for (const file of copied) expect(existsSync(join(ROOT, file)), file).toBe(true)
    const { files } = JSON.parse(read('package.json'))
    for (const file of files.filter((name: string) => !/^!|^dist$|\.md$/.test(name))) {
      expect(copied).toContain(file)
    }
    const ignored = read('.dockerignore').split('\n')
    for (const file of copied) expect(ignored).toContain(`!${file}`)
  })

  test('runs as nobody special, says how it does, and on the Node.js that we support', () => {
    const last = text.slice(text.lastIndexOf('\nFROM'))
    expect(last).toMatch(/^USER 1000:1000$/m)
    expect(last).toMatch(/^HEALTHCHECK .*\/health\/ready/m)
    expect(last).not.toMatch(/^USER root|^ADD /m)
    expect([...text.matchAll(/^FROM (\S+)/gm)].map(([, base]) => base)).toEqual([
      '${NODE}',
      '${BASE}',
    ])
    // The libraries of the one are those that the Node.js of the other was built for.
    expect(text).toMatch(/^ARG NODE=docker\.io\/library\/node:24\.\d+\.\d+-trixie-slim$/m)
    expect(text).toMatch(/^ARG BASE=gcr\.io\/distroless\/cc-debian13:nonroot$/m)
  })
})

describe('the lock file', () => {
  interface Locked {
    version?: string
    resolved?: string
    integrity?: string
    link?: boolean
    inBundle?: boolean
    hasInstallScript?: boolean
  }
  const { packages }: { packages: Record<string, Locked> } = JSON.parse(read('package-lock.json'))
  const installed = Object.entries(packages).filter(
    ([path, { link }]) => path.includes('node_modules/') && !link,
  )

  test('has a hash of everything, and nothing from elsewhere than the registry', () => {
    expect(installed.length).toBeGreaterThan(100)
    for (const [path, { integrity, resolved = '', inBundle }] of installed) {
      if (!inBundle) expect(integrity, path).toMatch(/^sha512-/)
      expect(resolved, path).not.toMatch(/^(?:git|file|http:)/)
    }
  })

  test('lets no dependency run a script that nobody has looked at', () => {
    const scripted = installed.filter(([, { hasInstallScript }]) => hasInstallScript)
    // It checks that its binary runs, and works without having done so.
    expect(scripted.map(([path]) => path.replace(/.*node_modules\//, ''))).toEqual(['esbuild'])
  })

  test('goes with exact versions', () => {
    for (const folder of ['', ...workspaces.map((name: string) => `${name}/`)]) {
      const file = `${folder}package.json`
      const { dependencies, devDependencies } = JSON.parse(read(file))
      for (const [name, wanted] of Object.entries({ ...dependencies, ...devDependencies })) {
        expect(wanted, name).toMatch(/^\d+\.\d+\.\d+$/)
      }
    }
  })
})
