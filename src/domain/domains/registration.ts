import { tldOf } from 'domain-marketplace-domain-names'
import { after, DAY } from '../../lib/clock.ts'
import { requirementsOf } from '../registry/requirements.ts'
import { findTld } from '../registry/tlds.ts'

/** Where no registry says otherwise. */
const GRACE_DAYS = 30

/** What the registry demands; null of names that no registry has, such as those for tests. */
export function rulesOf(domain: string) {
  const tld = findTld(tldOf(domain))
  return tld && tld.type !== 'reserved' ? requirementsOf(tld) : null
}

/** Until when an expired name can be renewed; after it, it is its owner's no more. */
export function graceEnd(domain: string, expiresAt: Date): Date {
  return after(expiresAt, (rulesOf(domain)?.grace_days ?? GRACE_DAYS) * DAY)
}
