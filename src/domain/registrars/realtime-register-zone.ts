import { z } from 'zod'
import { forSaleName } from '../../lib/for-sale.ts'
import { RegistrarRejected } from './driver.ts'
import {
  assertOursAlone,
  assertShown,
  type ForSaleCommand,
  needsChange,
  zoneElsewhere,
} from './for-sale-command.ts'
import { parsed } from './http-registrar.ts'

/** A record is sent back as it came, with what is not read here. */
const Record = z.looseObject({ name: z.string(), type: z.string(), content: z.string() })
const ZoneBody = z.object({
  name: z.string(),
  template: z.string().nullish(),
  link: z.boolean().nullish(),
  master: z.string().nullish(),
  deletionDate: z.string().nullish(),
  ttl: z.int().nullish(),
  ns: z.array(z.string()).nullish(),
  /** Its SOA and NS records, which are not among `records`. */
  defaultRecords: z.array(Record).nullish(),
  records: z.array(Record).nullish(),
})
type Zone = z.output<typeof ZoneBody>

const DEFAULT_TTL_S = 3600

/** The domain there, and the requests of its API. */
interface ZoneAccess {
  /** Null: it has no zone there. */
  zoneId: number | null
  nameservers: readonly string[]
  /** The body of a response; null where there is no such thing. */
  read(path: string): Promise<unknown>
  change(path: string, body: object): Promise<void>
}

/**
 * Adds or removes the record in a zone of Realtime Register (https://dm.realtimeregister.com/docs/api/dns/zones/update).
 * An update replaces all records, so all are read and sent back; what the API does not show whole is not touched.
 */
export async function setForSaleInZone(
  access: ZoneAccess,
  domain: string,
  command: ForSaleCommand,
): Promise<void> {
  const { zoneId } = access
  const path = `/dns/zones/${zoneId}`
  const body = zoneId === null ? null : await access.read(path)
  const zone = body === null ? null : parsed(ZoneBody, body)
  if (!zone || (command.published && !isServed(zone, access.nameservers))) {
    if (!command.published) return
    throw zoneElsewhere(domain)
  }
  const records = ownRecords(zone, domain)
  const host = forSaleName(domain)
  const texts = textsOf(records, host)
  if (!needsChange(command, texts)) return
  if (command.published) assertOursAlone(domain, command, texts)
  const others = records.filter((record) => !isOf(record, host) || textOf(record) !== command.value)
  const added = {
    name: host,
    type: 'TXT',
    content: areQuoted(records) ? `"${command.value}"` : command.value,
    ttl: zone.ttl ?? DEFAULT_TTL_S,
  }
  await access.change(`${path}/update`, {
    records: command.published ? [...others, added] : others,
  })
  const after = ownRecords(parsed(ZoneBody, await access.read(path)), domain)
  assertShown(command, textsOf(after, host))
}

/** Whether the domain's name servers are those that serve this zone. */
function isServed({ deletionDate, defaultRecords, ns }: Zone, nameservers: readonly string[]) {
  const served = (defaultRecords ?? [])
    .filter(({ type }) => type === 'NS')
    .map(({ content }) => content)
    .concat(ns ?? [])
    .map(hostOf)
  if (deletionDate) return false
  return nameservers.length > 0 && nameservers.every((host) => served.includes(hostOf(host)))
}

/** The records of the zone alone; rejects where others come from elsewhere, or where they are not shown. */
function ownRecords({ name, template, link, master, records }: Zone, domain: string) {
  if (hostOf(name) !== domain) {
    throw new RegistrarRejected('zone_shared', `Its zone is ${name}, which is not its own.`)
  }
  if (template && link !== false) {
    throw new RegistrarRejected('zone_of_template', `Its zone follows the template ${template}.`)
  }
  if (master) throw new RegistrarRejected('zone_of_master', `Its zone is a copy of ${master}.`)
  if (records) return records
  throw new RegistrarRejected('zone_not_shown', 'The registrar does not show its records.')
}

function textsOf(records: z.output<typeof Record>[], host: string): string[] {
  return records.filter((record) => isOf(record, host)).map(textOf)
}

function isOf({ name, type }: z.output<typeof Record>, host: string): boolean {
  return type === 'TXT' && hostOf(name) === host
}

function textOf({ content }: { content: string }): string {
  return content.replace(/^"(.*)"$/s, '$1')
}

/** Whether its TXT records are written in quotes, as zone files have them. */
function areQuoted(records: z.output<typeof Record>[]): boolean {
  return records.some(({ type, content }) => type === 'TXT' && content.startsWith('"'))
}

function hostOf(name: string): string {
  return name.toLowerCase().replace(/\.$/, '')
}
