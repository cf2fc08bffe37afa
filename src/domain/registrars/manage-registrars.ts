import { z } from 'zod'
import { checkInput } from '../../core/check-input.ts'
import { ApiError, conflict, invalid } from '../../core/errors.ts'
import { adminRead, adminWrite } from '../../core/operation.ts'
import { ADMINS, READERS } from '../../core/roles.ts'
import { newId } from '../../lib/ids.ts'
import { DRIVER_IDS, TestFailed } from './driver.ts'
import { driverOf } from './drivers.ts'
import { findRegistrar, nameField, RegistrarView, sealConfig, viewRegistrar } from './registrar.ts'

const TEST_MS = 90_000

export const addRegistrar = adminWrite({
  name: 'add_registrar',
  roles: ADMINS,
  recent: true,
  summary: 'Connect a registrar',
  description:
    'Checks the form of the configuration and keeps it sealed; nothing shows it again. Nothing is connected yet: ' +
    'test the connection next.',
  method: 'POST',
  path: '/registrars',
  input: z.object({
    name: nameField,
    driver: z.enum(DRIVER_IDS).describe('How the registrar is reached.'),
    config: z
      .record(z.string(), z.unknown())
      .describe('What the driver needs, as JSON; always with `tlds`.'),
  }),
  output: RegistrarView,
  status: 201,
  errors: ['validation_error', 'conflict'],
  subject: 'name',
  audited: ({ name, driver }, { tlds }) => ({ name, driver, tlds }),
  async handler({ tx, now, app }, { name, driver, config }) {
    if (driver === 'simulated' && app.settings.registry === 'live') {
      throw invalid({
        field: 'driver',
        issue: 'must be that of a real registrar while REGISTRY is live',
      })
    }
    const checked = checkInput(driverOf(driver).config, config, ['config'])
    const id = newId('reg', now)
    const registrar = {
      id,
      name,
      driver,
      tlds: [...new Set(checked.tlds)],
      config: sealConfig(app.secrets, id, checked),
      publishes_for_sale: false,
      created_at: now,
      updated_at: now,
    }
    const added = await tx
      .insertInto('registrars')
      .values(registrar)
      .onConflict((known) => known.column('name').doNothing())
      .returning('id')
      .executeTakeFirst()
    if (!added) throw conflict('already_exists', `There is a registrar ${name} already.`)
    return viewRegistrar(registrar, 0)
  },
})

export const listRegistrars = adminRead({
  name: 'list_registrars',
  roles: READERS,
  summary: 'List the registrar connections',
  method: 'GET',
  path: '/registrars',
  input: z.object({}),
  output: z.object({ registrars: z.array(RegistrarView) }),
  status: 200,
  errors: [],
  async handler({ db }) {
    const rows = await db
      .selectFrom('registrars')
      .selectAll('registrars')
      .select((row) =>
        row
          .selectFrom('registrar_domains as d')
          .whereRef('d.registrar_id', '=', 'registrars.id')
          .select(({ fn }) => fn.countAll<number>().as('domains'))
          .as('domains'),
      )
      .orderBy('name')
      .execute()
    return { registrars: rows.map((row) => viewRegistrar(row, Number(row.domains))) }
  },
})

/** It changes nothing here: what it opens is kept for what comes next. */
export const testRegistrar = adminRead({
  name: 'test_registrar',
  roles: ADMINS,
  summary: 'Connect to a registrar and sign in',
  description:
    'A failure is `unavailable` and says at which step it ended: `connect`, `tls`, `greeting` or `login`.',
  method: 'POST',
  path: '/registrars/{name}/test',
  input: z.object({ name: nameField }),
  output: z.object({
    name: nameField,
    driver: z.enum(DRIVER_IDS),
    ok: z.boolean(),
    server: z.string().describe('What the server calls itself.'),
    capabilities: z.array(z.string()).describe('What can be done there.'),
  }),
  status: 200,
  errors: ['not_found', 'unavailable'],
  async handler({ db, app }, { name }) {
    const { id, driver } = await findRegistrar(db, name)
    const open = await app.registrars.byId(id)
    if (!open) throw new ApiError('not_found', `The registrar ${name} was removed.`)
    try {
      const { server } = await open.connection.test(AbortSignal.timeout(TEST_MS))
      return { name, driver, ok: true, server, capabilities: [...open.connection.capabilities] }
    } catch (error) {
      const step = error instanceof TestFailed ? error.step : 'connect'
      const reason = error instanceof Error ? error.message : 'no response'
      throw new ApiError('unavailable', `${name} failed at the step ${step}: ${reason}`, {
        details: { step },
        retryAfter: 30,
      })
    }
  },
})

export const removeRegistrar = adminWrite({
  name: 'remove_registrar',
  roles: ADMINS,
  summary: 'Remove a registrar connection, with its credentials',
  method: 'DELETE',
  path: '/registrars/{name}',
  input: z.object({ name: nameField }),
  output: z.object({ name: nameField, removed: z.boolean() }),
  status: 200,
  errors: ['not_found', 'conflict'],
  async handler({ tx }, { name }) {
    const { id } = await findRegistrar(tx, name)
    const busy = await tx
      .selectFrom('registrar_operations')
      .select('operation_id')
      .where('registrar_id', '=', id)
      .where('finished_at', 'is', null)
      .limit(1)
      .executeTakeFirst()
    if (busy) {
      throw conflict(
        'not_allowed_now',
        `${busy.operation_id} is under way at this registrar. Wait for its end, or retry it.`,
        { status: 'in_use' },
      )
    }
    await tx.deleteFrom('registrars').where('id', '=', id).execute()
    return { name, removed: true }
  },
})
