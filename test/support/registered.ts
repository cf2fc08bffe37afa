import type { WhoisRecord } from 'domain-marketplace-registry-lookup'
import type { RegistryResult } from '../../src/domain/registry/registry.ts'

/** What a registry says of a name that somebody has. */
export function registered(record: Partial<WhoisRecord> = {}): RegistryResult {
  return {
    state: 'registered',
    reason: null,
    source: 'rdap',
    checkedAt: new Date(),
    record: {
      registrar: { name: 'A registrar', iana_id: '292' },
      registrant: null,
      created_at: null,
      updated_at: null,
      expires_at: null,
      status: [],
      nameservers: [],
      dnssec: null,
      ...record,
    },
  }
}
