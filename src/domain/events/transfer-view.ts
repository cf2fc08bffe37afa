import { z } from 'zod'
import { timestamp } from '../../core/fields.ts'

const TRANSFER_STATUSES = [
  'pending',
  'in_progress',
  'action_required',
  'failed',
  'completed',
  'cancelled',
] as const
export type TransferStatus = (typeof TRANSFER_STATUSES)[number]

/** A registrar, as registries name it. */
export interface TransferRegistrar {
  iana_id: string | null
  name: string | null
}

/** What the registry said of a domain when it was asked. */
export interface RegistrySaid {
  registrar: TransferRegistrar | null
  /** EPP status codes. */
  status: string[]
  expires_at: string | null
  /** `rdap`, `whois` or `simulated`. */
  source: string
  at: string
}

/** The same around a transfer; null where it was not asked, or said nothing. */
export interface TransferRegistry {
  before: RegistrySaid | null
  after: RegistrySaid | null
}

const PROOF_SOURCES = ['registry', 'registrar', 'operator', 'simulated'] as const

/** How it is known that the domain was delivered. */
export interface TransferProof {
  source: (typeof PROOF_SOURCES)[number]
  at: string
  registrar_iana_id: string | null
  note: string | null
}

/** A transfer, as orders and events show it (contract, section 16). */
export const TransferView = z
  .object({
    status: z
      .enum(TRANSFER_STATUSES)
      .describe(
        'The state of the transfer: `action_required` waits for the buyer, `failed` for an operator.',
      ),
    started_at: timestamp
      .nullable()
      .meta({ description: 'When the transfer started, or null.', example: null }),
    completed_at: timestamp
      .nullable()
      .meta({ description: 'When the domain was delivered, or null.', example: null }),
    reason: z.string().nullable().meta({
      description: 'Why the transfer failed or needs action; otherwise null.',
      example: null,
    }),
    registrar: z
      .object({
        iana_id: z.string().nullable().describe('Its IANA id, or null.'),
        name: z.string().nullable().describe('Its name, or null.'),
      })
      .nullable()
      .meta({
        description: 'The registrar that had the domain when the transfer started, or null.',
        example: null,
      }),
    code_available: z.boolean().meta({
      description: 'Whether the authorization code can be read.',
      example: false,
    }),
    expected_by: timestamp.nullable().meta({
      description: 'When the domain should have arrived; past it the transfer is stalled.',
      example: null,
    }),
    stalled: z.boolean().meta({
      description: 'Whether it is in progress past `expected_by`.',
      example: false,
    }),
    proof: z
      .object({
        source: z.enum(PROOF_SOURCES).describe('Who said that the domain has arrived.'),
        at: timestamp.describe('When it was known.'),
        registrar_iana_id: z.string().nullable().describe('Where it is, or null.'),
        note: z.string().nullable().describe('What it rests on, or null.'),
      })
      .nullable()
      .meta({ description: 'How the delivery is known, or null.', example: null }),
  })
  .meta({ id: 'Transfer', description: 'How the domain reaches the buyer.' })
