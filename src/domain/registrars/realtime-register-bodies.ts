import { z } from 'zod'

// What the documentation calls required is required here: a response without it says nothing of a domain.

export const DomainsBody = z.object({ entities: z.array(z.unknown()) })
export const DomainBody = z.object({
  domainName: z.string(),
  customer: z.string(),
  expiryDate: z.iso.datetime({ offset: true }),
  privacyProtect: z.boolean(),
  status: z.array(z.string()),
  ns: z.array(z.string()).default([]),
  /** The zone that it has in the DNS there. */
  zone: z.object({ id: z.int().nullish() }).nullish(),
})
export const CheckBody = z.object({
  available: z.boolean(),
  reason: z.string().nullish(),
  premium: z.boolean().default(false),
  price: z.int().nullish(),
  renewPrice: z.int().nullish(),
  currency: z.string().nullish(),
})
export const QuoteBody = z.object({
  quote: z.object({ total: z.int(), currency: z.string().optional() }),
})
export const ProcessBody = z.object({ processId: z.union([z.int(), z.string()]) })
export const ProcessState = z.object({ status: z.string(), error: z.string().nullish() })
export const ProcessList = z.object({
  entities: z.array(
    z.object({ id: z.union([z.int(), z.string()]), status: z.string(), action: z.string() }),
  ),
})
export const PollBody = z.object({
  count: z.int(),
  notification: z
    .object({
      id: z.union([z.int(), z.string()]),
      message: z.string().default(''),
      eventType: z.string().default(''),
      notificationType: z.string().default(''),
      fireDate: z.string().nullish(),
      domainName: z.string().nullish(),
      payload: z.record(z.string(), z.unknown()).nullish(),
    })
    .nullish(),
})
export const ErrorBody = z.object({
  type: z.string().optional(),
  message: z.string().optional(),
  billables: z.array(z.record(z.string(), z.unknown())).optional(),
})
