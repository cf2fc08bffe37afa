import { existsSync, readFileSync } from 'node:fs'
import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { cleanUp, clientFor, freePort, newFolder, printedCredential } from '../support/process.ts'
import { sold } from '../support/sale.ts'
import { buildImage, canBuild, type Image, runImage } from './image.ts'
import { ROOT, run } from './tools.ts'

const { version, dependencies } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'))
/** What docs/OPERATING.md says. */
const MAX_MEGABYTES = 310
/** As an engine gives it before it kills. */
const STOPS_WITHIN_MS = 10_000

vi.setConfig({ testTimeout: 240_000 })
let image: Image
afterAll(cleanUp)

describe.skipIf(!canBuild)('the image', () => {
  beforeAll(async () => {
    image = await buildImage()
  }, 1_800_000)

  test('has what the service runs on, and nothing that only a developer or an attacker needs', async () => {
    const { stdout } = await run('du', ['-sm', image.root])
    expect(Number.parseInt(stdout, 10)).toBeLessThan(MAX_MEGABYTES)
    const find = ['-name', '*.map', '-o', '-name', '*.ts', '-o', '-name', '*.node']
    const found = await run('find', [join(image.root, 'app'), '-type', 'f', '(', ...find, ')'])
    const odd = found.stdout
      .trim()
      .split('\n')
      .map((file) => file.slice(image.root.length))
    expect(
      odd.filter((file) => !/^\/app\/(?:docs|examples)\/|prebuilds\/linux-/.test(file)),
    ).toEqual([])
    for (const file of [
      'bin/sh',
      'usr/bin/apt-get',
      'usr/local/bin/npm',
      'app/node_modules/vitest',
    ]) {
      expect(existsSync(join(image.root, file)), file).toBe(false)
    }
    expect((await run('find', [image.root, '-perm', '/6000', '-type', 'f'])).stdout).toBe('')
  })

  test('has a bill of what it is made of', async () => {
    const bill = JSON.parse(readFileSync(join(image.root, 'app/bom.cdx.json'), 'utf8'))
    expect(bill).toMatchObject({ bomFormat: 'CycloneDX', metadata: { component: { version } } })
    const listed: string[] = bill.components.map(({ purl }: { purl: string }) =>
      decodeURIComponent(purl.slice('pkg:npm/'.length)).replace(/@[^@]*$/, ''),
    )
    // What compiles a checkout is not in it.
    const shipped = Object.keys(dependencies).filter((name) => name !== 'typescript')
    expect(listed).toEqual(expect.arrayContaining(shipped))
    for (const name of ['typescript', 'tsx', 'esbuild', 'vitest'])
      expect(listed).not.toContain(name)
    const own = join(image.root, 'app/node_modules')
    for (const name of await readdir(own)) {
      if (!/^[.@]/.test(name)) expect(listed).toContain(name)
    }
  })

  test('sells as nobody special on a root file system that is read-only, and stops in time', async () => {
    expect(image.user).toMatch(/^[1-9]\d*:[1-9]\d*$/)
    const data = await newFolder()
    const service = await runImage(image, { PORT: String(await freePort()) }, data)
    const credential = printedCredential(service.output())
    if (!credential) throw new Error('no credential')
    const order = await sold(clientFor(service, credential), 'aquariumatlas.example')
    for (const path of ['/docs', '/openapi.json', '/d/petpantry.example']) {
      expect((await fetch(service.baseUrl + path)).status, path).toBe(200)
    }
    const listed = await service.exec('node', 'dist/cli.js', '--json', 'order', 'list')
    expect(listed).toMatchObject({ code: 0, stderr: '' })
    expect(listed.stdout).toContain(order.public_id)
    const write = "fs.writeFileSync('/app/x', '')"
    expect((await service.exec('node', '-e', write)).stderr).toMatch(/EROFS|read-only/)

    const stopped = Date.now()
    expect(await service.stop()).toBe(0)
    expect(Date.now() - stopped).toBeLessThan(STOPS_WITHIN_MS)

    const again = await runImage(image, { PORT: String(await freePort()) }, data)
    const read = await clientFor(again, credential).get(`/orders/${order.public_id}`)
    expect(read.body).toMatchObject({ public_id: order.public_id })
    expect(await again.stop()).toBe(0)
  })
})
