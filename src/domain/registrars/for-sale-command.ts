import { forSaleName } from '../../lib/for-sale.ts'
import { type RegistrarCommand, RegistrarRejected } from './driver.ts'

export type ForSaleCommand = Extract<RegistrarCommand, { op: 'set_for_sale' }>

/**
 * Whether the zone has to change so that our record is there, or is not.
 *
 * @param texts the TXT records that are at `_for-sale` now
 */
export function needsChange({ value, published }: ForSaleCommand, texts: string[]): boolean {
  return texts.includes(value) !== published
}

/** Rejects where records that are not ours are at `_for-sale`: their owner says there what holds. */
export function assertOursAlone(domain: string, { value }: ForSaleCommand, texts: string[]): void {
  if (texts.every((text) => text === value)) return
  throw new RegistrarRejected(
    'other_records',
    `There are records at ${forSaleName(domain)} that are not ours. They are left as they are.`,
  )
}

/** Nobody would find a record there. */
export function zoneElsewhere(domain: string): RegistrarRejected {
  return new RegistrarRejected(
    'zone_elsewhere',
    `The name servers of ${domain} are not those of the registrar.`,
  )
}

/** Rejects where the registrar accepted a change of the zone and does not show it. */
export function assertShown(command: ForSaleCommand, texts: string[]): void {
  if (!needsChange(command, texts)) return
  throw new RegistrarRejected(
    'not_shown',
    'The registrar accepted the change of the zone, and does not show it.',
  )
}
