import { z } from 'zod'
import { invalid, notFound } from '../../core/errors.ts'
import { lineField } from '../../core/fields.ts'
import type { Tx } from '../../core/operation.ts'
import type { Database } from '../../db/dialect.ts'

export const DELIVERY_METHODS = ['push', 'auth_code', 'hold'] as const
export type DeliveryMethod = (typeof DELIVERY_METHODS)[number]

/** Where a sold domain goes. */
export interface Delivery {
  method: DeliveryMethod
  /** At the registrar that has the domain; of a push. */
  account: string | null
  /** The registrar that the buyer will use, where it is known. */
  registrar_iana_id: string | null
}

const AUTH_CODE: Delivery = { method: 'auth_code', account: null, registrar_iana_id: null }

/** An account at a registrar, without the blanks around it. */
export const accountField = lineField(200).trim()

const NO_IANA_ID = 'must be the IANA id of a registrar, such as "292"'

/** Whoever asks for something that we do not know would not get it, so unknown keys are rejected. */
export const deliveryField = z
  .strictObject({
    method: z
      .enum(DELIVERY_METHODS)
      .describe(
        '`push` into an account at the registrar that has the domain, `auth_code` for a transfer to another ' +
          'registrar, or `hold` in the account of the buyer at this marketplace.',
      ),
    account: accountField.min(1, 'must not be empty').nullish().meta({
      description: 'The account to push into. Required with `push`.',
      example: 'buyer-4711',
    }),
    registrar_iana_id: z
      .union(
        [
          z.string().regex(/^\d{1,6}$/, NO_IANA_ID),
          z.int(NO_IANA_ID).min(1, NO_IANA_ID).max(999_999, NO_IANA_ID),
        ],
        NO_IANA_ID,
      )
      .transform(String)
      .nullish()
      .meta({
        description: 'The IANA id of the registrar that the domain goes to, if it is known.',
        example: '292',
      }),
  })
  .refine(({ method, account }) => method !== 'push' || Boolean(account), {
    path: ['account'],
    message: 'is required with push',
  })
  .describe('Where the domain goes. Default: what your account says, otherwise `auth_code`.')

export const DeliveryView = z
  .object({
    method: z.enum(DELIVERY_METHODS).describe('How the domain reaches its buyer.'),
    account: z
      .string()
      .nullable()
      .meta({ description: 'The account that it is pushed into, or null.', example: 'buyer-4711' }),
    registrar_iana_id: z.string().nullable().meta({
      description: 'The IANA id of the registrar that it goes to, or null.',
      example: '292',
    }),
  })
  .meta({ id: 'Delivery', description: 'Where the domain goes.' })

/** What was asked for, what the partner's account says, or a code. */
export function deliveryOf(
  asked: z.output<typeof deliveryField> | null | undefined,
  standard: Delivery | null,
): Delivery {
  if (!asked) return standard ?? AUTH_CODE
  const { method, account = null, registrar_iana_id = null } = asked
  return { method, account, registrar_iana_id }
}

/** What a partner's account says, or a code. */
export async function standardDelivery(db: Database, partnerId: string): Promise<Delivery> {
  const partner = await db
    .selectFrom('partners')
    .select('delivery')
    .where('id', '=', partnerId)
    .executeTakeFirst()
  return partner?.delivery ?? AUTH_CODE
}

/** Sets what a partner's account says; `push` needs an account. */
export async function storeStandardDelivery(
  tx: Tx,
  partnerId: string,
  method: DeliveryMethod,
  account: string | null,
): Promise<Delivery> {
  if (method === 'push' && !account) {
    throw invalid({ field: 'account', issue: 'is required with push' })
  }
  const delivery: Delivery = { method, account, registrar_iana_id: null }
  const changed = await tx
    .updateTable('partners')
    .set({ delivery: JSON.stringify(delivery) })
    .where('id', '=', partnerId)
    .returning('id')
    .executeTakeFirst()
  if (!changed) throw notFound('partner')
  return delivery
}
