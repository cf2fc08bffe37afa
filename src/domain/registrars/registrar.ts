import type { Selectable } from 'kysely'
import { z } from 'zod'
import { notFound } from '../../core/errors.ts'
import { createdAt, iso } from '../../core/fields.ts'
import type { Tx } from '../../core/operation.ts'
import type { Schema } from '../../db/schema.ts'
import type { SecretBox } from '../../lib/secret-box.ts'
import { DRIVER_IDS } from './driver.ts'
import { driverOf } from './drivers.ts'

/** A connection to a registrar, as it is kept. */
export type Registrar = Selectable<Schema['registrars']>

export const nameField = z
  .string()
  .regex(/^[a-z0-9][a-z0-9-]{0,62}$/, 'must be lower-case letters, digits and hyphens, 63 at most')
  .meta({ description: 'The name of the connection.', example: 'example-registrar' })

/** What operators see of a connection: never its configuration. */
export const RegistrarView = z.object({
  registrar_id: z.string(),
  name: nameField,
  driver: z.enum(DRIVER_IDS),
  tlds: z.array(z.string()).describe('The top-level domains that it is for.'),
  capabilities: z.array(z.string()).describe('What its driver can do.'),
  domains: z.int().describe('How many domains were read in this account.'),
  publishes_for_sale: z
    .boolean()
    .describe('Whether domains for sale say so at `_for-sale` (RFC 10023) in their zones there.'),
  created_at: createdAt,
})

export function viewRegistrar(
  registrar: Registrar,
  domains: number,
): z.output<typeof RegistrarView> {
  const { id, name, driver, tlds, publishes_for_sale, created_at } = registrar
  const capabilities = [...driverOf(driver).capabilities]
  return {
    registrar_id: id,
    name,
    driver,
    tlds,
    capabilities,
    domains,
    publishes_for_sale,
    created_at: iso(created_at),
  }
}

export async function findRegistrar(db: Pick<Tx, 'selectFrom'>, name: string): Promise<Registrar> {
  const registrar = await db
    .selectFrom('registrars')
    .selectAll()
    .where('name', '=', name)
    .executeTakeFirst()
  if (!registrar) throw notFound('registrar')
  return registrar
}

export function sealConfig(secrets: SecretBox, id: string, config: object): Buffer {
  return secrets.seal(JSON.stringify(config), registrarPurpose(id))
}

export function openConfig(secrets: SecretBox, { id, config }: Registrar): unknown {
  return JSON.parse(secrets.open(config, registrarPurpose(id)))
}

/** What it is sealed for. */
export function registrarPurpose(id: string): string {
  return `registrar configuration ${id}`
}
