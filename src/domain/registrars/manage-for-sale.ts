import { z } from 'zod'
import { readPage } from '../../core/cursor.ts'
import { conflict, notFound } from '../../core/errors.ts'
import { domainField, iso, paging, timestamp } from '../../core/fields.ts'
import { adminRead, adminWrite } from '../../core/operation.ts'
import { ADMINS, READERS } from '../../core/roles.ts'
import { findRegistrar, nameField, RegistrarView, viewRegistrar } from './registrar.ts'
import { queueSync } from './sync-domains.ts'

const STATUSES = ['publishing', 'published', 'withdrawing', 'failed'] as const

export const setRegistrarForSale = adminWrite({
  name: 'set_registrar_for_sale',
  roles: ADMINS,
  summary: 'Say at _for-sale that listed domains are for sale, through a registrar',
  description:
    'A listed domain in the account gets a TXT record at `_for-sale` (RFC 10023) that names its page on the market, if its ' +
    'zone is in the DNS of the registrar. Other records stay. The record is removed when the domain is not for sale any ' +
    'more, or when this is switched off. The domains of the account are read anew first.',
  method: 'PUT',
  path: '/registrars/{name}/for-sale',
  input: z.object({
    name: nameField,
    enabled: z.boolean().describe('Publish the records.'),
  }),
  output: RegistrarView,
  status: 200,
  errors: ['validation_error', 'not_found', 'conflict'],
  async prepare({ db, app }, { name }) {
    const { id } = await findRegistrar(db, name)
    const open = await app.registrars.byId(id)
    return open?.connection.capabilities.includes('set_for_sale') ?? false
  },
  async handler({ tx, now, prepared: isAble }, { name, enabled }) {
    if (enabled && !isAble) {
      throw conflict('not_applicable', `${name} cannot set single DNS records as it is configured.`)
    }
    const registrar = await tx
      .updateTable('registrars')
      .set({ publishes_for_sale: enabled })
      .where('name', '=', name)
      .returningAll()
      .executeTakeFirst()
    if (!registrar) throw notFound('registrar')
    const known = await tx
      .selectFrom('registrar_domains')
      .select('domain')
      .where('registrar_id', '=', registrar.id)
      .execute()
    if (enabled && known.length > 0) {
      const names = known.map(({ domain }) => domain)
      await queueSync(tx, now, registrar.id, names)
    }
    return viewRegistrar(registrar, known.length)
  },
})

export const listForSaleRecords = adminRead({
  name: 'list_for_sale_records',
  roles: READERS,
  summary: 'List the records at _for-sale that are published through registrars',
  method: 'GET',
  path: '/for-sale-records',
  input: z.object({
    registrar: nameField.optional(),
    domain: domainField.optional(),
    status: z.enum(STATUSES).optional(),
    ...paging,
  }),
  output: z.object({
    records: z.array(
      z.object({
        domain: z.string(),
        registrar: z.string(),
        value: z.string().describe('The text of the record.'),
        status: z
          .enum(STATUSES)
          .describe(
            '`failed`: the registrar is asked again after an hour, or a day if it rejected it.',
          ),
        operation_id: z.string().describe('What the registrar is asked, or was asked last.'),
        error: z
          .object({ code: z.string(), message: z.string() })
          .nullable()
          .describe('Why that failed, or has not succeeded yet.'),
        updated_at: timestamp,
      }),
    ),
    next_cursor: z.string().nullable(),
  }),
  status: 200,
  errors: ['validation_error', 'invalid_cursor'],
  async handler({ db }, { limit, cursor, ...filters }) {
    const bound = { list: 'for_sale_records', ...filters }
    const statusOf = db
      .selectFrom('for_sale_records as f')
      .innerJoin('registrars as r', 'r.id', 'f.registrar_id')
      .leftJoin('registrar_operations as o', 'o.operation_id', 'f.operation_id')
      .select(['f.domain', 'f.value', 'f.operation_id', 'f.updated_at', 'r.name', 'o.error'])
      .select((row) =>
        row
          .case()
          .when('f.status', '<>', 'queued')
          .then(row.ref('f.status'))
          .when('f.is_wanted', '=', true)
          .then(row.val('publishing'))
          .else(row.val('withdrawing'))
          .end()
          .$castTo<(typeof STATUSES)[number]>()
          .as('status'),
      )
    let query = db.selectFrom(statusOf.as('f')).selectAll()
    if (filters.registrar) query = query.where('name', '=', filters.registrar)
    if (filters.domain) query = query.where('domain', '=', filters.domain)
    if (filters.status) query = query.where('status', '=', filters.status)
    const { rows, next_cursor } = await readPage(query, 'domain', { cursor, limit, bound })
    const records = rows.map(({ name, error, updated_at, ...row }) => ({
      ...row,
      registrar: name,
      error: error && { code: error.code, message: error.message },
      updated_at: iso(updated_at),
    }))
    return { records, next_cursor }
  },
})
