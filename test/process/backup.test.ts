import { randomBytes } from 'node:crypto'
import { copyFile, mkdir, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, expect, test, vi } from 'vitest'
import {
  cleanUp,
  cli,
  clientFor,
  newFolder,
  preparedFolder,
  printedCredential,
  shell,
  start,
  startAndFail,
} from '../support/process.ts'
import { sold } from '../support/sale.ts'

vi.setConfig({ testTimeout: 240_000 })
afterAll(cleanUp)

test('a market that was lost is restored from its backup and its key: nothing is missing', async () => {
  const folder = await preparedFolder()
  const elsewhere = await newFolder()
  const file = join(elsewhere, 'market.backup')
  const service = await start({ DATA_DIR: folder })
  const credential = printedCredential(service.stdout())
  if (!credential) throw new Error('no credential')
  const order = await sold(clientFor(service, credential), 'aquariumatlas.example')

  const backedUp = await cli(['--json', 'backup', '--out', file], { DATA_DIR: folder })
  expect(backedUp).toMatchObject({ code: 0, stderr: '' })
  expect(JSON.parse(backedUp.stdout).size_bytes).toBe((await stat(file)).size)
  expect((await stat(file)).mode & 0o077).toBe(0)
  expect((await cli(['backup', '--out', file], { DATA_DIR: folder })).stderr).toMatch(/it exists/)
  const busy = await cli(['restore', file], { DATA_DIR: folder })
  expect(busy.stderr).toMatch(/is in use by process/)
  await service.kill()

  // Nothing is put over a database that is there.
  expect((await cli(['restore', file], { DATA_DIR: folder })).stderr).toMatch(/database exists/)

  const anew = await newFolder()
  const noKey = await cli(['restore', file], { DATA_DIR: anew })
  expect(noKey.stderr).toMatch(/the key of this backup is missing/)
  const other = randomBytes(32).toString('base64')
  const wrongKey = await cli(['restore', file], { DATA_DIR: anew, SECRETS_KEY: other })
  expect(wrongKey.stderr).toMatch(/the key of this backup is another/)

  await copyFile(join(folder, 'secrets.key'), join(anew, 'secrets.key'))
  const damaged = join(elsewhere, 'damaged')
  await writeFile(damaged, (await readFile(file)).subarray(0, 50_000))
  expect((await cli(['restore', damaged], { DATA_DIR: anew })).stderr).toMatch(
    /is damaged, or is not a backup/,
  )
  expect((await cli(['restore', join(elsewhere, 'none')], { DATA_DIR: anew })).stderr).toMatch(
    /there is no file/,
  )

  // As one leaves it that is killed.
  await mkdir(join(anew, 'database.new-abcdef', 'base'), { recursive: true })
  expect(await cli(['restore', file], { DATA_DIR: anew })).toMatchObject({ code: 0, stderr: '' })
  expect((await readdir(anew)).toSorted()).toEqual(['database', 'lock', 'secrets.key'])
  expect((await stat(join(anew, 'database'))).mode & 0o077).toBe(0)
  const again = await start({ DATA_DIR: anew })
  const read = await clientFor(again, credential).get(`/orders/${order.public_id}`)
  expect(read.status).toBe(200)
  expect(read.body).toMatchObject({ public_id: order.public_id, domain: 'aquariumatlas.example' })
})

test.runIf(process.getuid?.() === 0)(
  'a full disk is named, and left as it was',
  async (context) => {
    const disk = await newFolder()
    const folder = await preparedFolder()
    const file = join(folder, 'market.backup')
    const service = await start({ DATA_DIR: folder })
    expect(await cli(['backup', '--out', file], { DATA_DIR: folder })).toMatchObject({ code: 0 })
    const mounted = await shell(`mount -t tmpfs -o size=3m tmpfs ${disk}`)
    context.skip(mounted.code !== 0, 'no right to mount a small disk')
    try {
      const out = join(disk, 'b.backup')
      const backUp = () => cli(['backup', '--out', out], { DATA_DIR: folder })
      expect((await backUp()).stderr).toMatch(/^error: .*b.backup cannot be written: ENOSPC/)
      expect(await readdir(disk)).toEqual([])
      await shell(`mount -o remount,size=200m ${disk}`)
      expect(await backUp()).toMatchObject({ code: 0, stderr: '' })
      await rm(out)
      await service.kill()

      await shell(`mount -o remount,size=20m ${disk}`)
      await copyFile(join(folder, 'secrets.key'), join(disk, 'secrets.key'))
      const restore = () => cli(['restore', file], { DATA_DIR: disk })
      expect(await restore()).toMatchObject({
        code: 1,
        stderr: expect.stringMatching(/database cannot be made: .*no space is left on the disk\n$/),
      })
      expect((await readdir(disk)).toSorted()).toEqual(['lock', 'secrets.key'])
      expect((await startAndFail({ DATA_DIR: disk })).stderr).toContain(
        'cannot be opened: no space is left on the disk.',
      )
      await shell(`mount -o remount,size=200m ${disk}`)
      expect(await restore()).toMatchObject({ code: 0, stderr: '' })
    } finally {
      await shell(`umount ${disk}`)
    }
  },
)
