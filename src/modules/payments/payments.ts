import type { Environment } from '../../kernel/operation.ts'
import type { Settings } from '../../kernel/settings.ts'
import type { Clock } from '../../lib/clock.ts'
import type { ProviderName } from './payment.ts'
import type { PaymentProvider } from './provider.ts'
import { createStripeProvider, type StripeProvider } from './stripe-provider.ts'
import { createTestProvider } from './test-provider.ts'

export interface Payments {
  /** Null where no provider is configured. */
  of(environment: Environment): PaymentProvider | null
  byName(name: ProviderName): PaymentProvider
  /** For its webhooks. */
  stripe: StripeProvider | null
}

declare module '../../kernel/house.ts' {
  interface House {
    payments: Payments
  }
}

/** The providers as configured: the sandbox always has the test provider, live what the settings say. */
export function createPayments(
  settings: Pick<Settings, 'paymentProvider' | 'stripe'>,
  clock: Clock,
): Payments {
  const test = createTestProvider(clock)
  const stripe = settings.stripe ? createStripeProvider(settings.stripe, clock) : null
  const live: Record<Settings['paymentProvider'], PaymentProvider | null> = {
    test,
    stripe,
    none: null,
  }
  return {
    stripe,
    of: (environment) => (environment === 'sandbox' ? test : live[settings.paymentProvider]),
    byName(name) {
      const provider = name === 'test' ? test : stripe
      if (!provider) throw new Error(`the payment provider ${name} is not configured`)
      return provider
    },
  }
}
