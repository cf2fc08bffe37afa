import type { Tx } from '../../core/operation.ts'
import type { CommandResult, RegistrarDomain } from './driver.ts'
import type { OperationParams } from './operation.ts'

/** Keeps what a registrar says of a domain in our account. */
export async function recordDomain(
  tx: Pick<Tx, 'insertInto'>,
  now: Date,
  registrarId: string,
  domain: string,
  { expiresAt, locked, privacy, nameservers, hostsZone, statuses }: RegistrarDomain,
): Promise<void> {
  const said = {
    registrar_id: registrarId,
    expires_at: expiresAt,
    locked,
    privacy,
    nameservers: [...nameservers],
    hosts_zone: hostsZone,
    statuses: [...statuses],
    read_at: now,
  }
  await tx
    .insertInto('registrar_domains')
    .values({ domain, ...said })
    .onConflict((known) => known.column('domain').doUpdateSet(said))
    .execute()
}

/** The registrar says that the domain is not in our account, or not any more. */
export async function forgetDomain(
  tx: Pick<Tx, 'deleteFrom'>,
  registrarId: string,
  domain: string,
): Promise<void> {
  await tx
    .deleteFrom('registrar_domains')
    .where('domain', '=', domain)
    .where('registrar_id', '=', registrarId)
    .execute()
}

/** The domain was delivered to its buyer: it is in no account of ours any more. */
export async function forgetDelivered(tx: Pick<Tx, 'deleteFrom'>, domain: string): Promise<void> {
  await tx.deleteFrom('registrar_domains').where('domain', '=', domain).execute()
}

/** What a command that succeeded has changed of it. */
export async function recordCommand(
  tx: Pick<Tx, 'updateTable' | 'deleteFrom'>,
  now: Date,
  domain: string,
  command: OperationParams,
  { expiresAt }: CommandResult,
): Promise<void> {
  if (command.op === 'push') return await forgetDelivered(tx, domain)
  await tx
    .updateTable('registrar_domains')
    .set({ ...changeOf(command, expiresAt), read_at: now })
    .where('domain', '=', domain)
    .execute()
}

function changeOf(command: OperationParams, expiresAt: Date | undefined) {
  switch (command.op) {
    case 'renew':
      return expiresAt ? { expires_at: expiresAt } : {}
    case 'lock':
    case 'clear_auth_code':
      return { locked: true }
    case 'unlock':
    case 'set_auth_code':
      return { locked: false }
    case 'set_nameservers':
      return { nameservers: [...command.nameservers], hosts_zone: null }
    case 'set_privacy':
      return { privacy: command.enabled }
    default:
      return {}
  }
}

/** Those of the domains that are in accounts of ours, with their expiry as the registrar said it last. */
export async function findRegistrarDomains(
  tx: Pick<Tx, 'selectFrom'>,
  domains: readonly string[],
): Promise<Map<string, Date | null>> {
  if (domains.length === 0) return new Map()
  const rows = await tx
    .selectFrom('registrar_domains')
    .select(['domain', 'expires_at'])
    .where('domain', 'in', [...domains])
    .execute()
  return new Map(rows.map(({ domain, expires_at }) => [domain, expires_at]))
}
