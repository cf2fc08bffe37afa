import type { Environment } from '../../core/caller.ts'
import type { Settings } from '../../core/settings.ts'
import type { Clock } from '../../lib/clock.ts'
import type { PayoutRail, RailId } from '../payees/payout-rail.ts'
import type { PlayedProvider } from './played-provider.ts'
import type { PaymentProvider } from './provider.ts'
import { playedTestProvider } from './test/played.ts'
import { createTestProvider } from './test/provider.ts'

/**
 * The drivers, by the id that payments keep of theirs. A new one is a folder beside these, an entry here and
 * below, and its settings.
 */
export const PROVIDER_IDS = ['test', 'stripe'] as const
export type ProviderId = (typeof PROVIDER_IDS)[number]

/** Those without real money, whose banks operators play. */
const PLAYED: Partial<Record<ProviderId, PlayedProvider>> = { test: playedTestProvider }

/** Undefined where real banks decide. */
export function playedProvider(id: ProviderId): PlayedProvider | undefined {
  return PLAYED[id]
}

export interface Payments {
  /** What takes payments in this environment; null where no provider is configured. */
  of(environment: Environment): PaymentProvider | null
  /** The provider that something was paid, or saved, with; an error if it is not configured any more. */
  byId(id: ProviderId): PaymentProvider
  /** All that are configured. */
  all: readonly PaymentProvider[]
}

/**
 * The providers as configured: the sandbox always has the test provider, live what the settings say. The driver
 * of another, and the provider's own library, are loaded where they are configured.
 */
export async function createPayments(
  {
    paymentProvider: live,
    stripe,
    payoutRail,
  }: Pick<Settings, 'paymentProvider' | 'stripe' | 'payoutRail'>,
  clock: Clock,
): Promise<Payments> {
  const drivers: Record<ProviderId, PaymentProvider | null> = {
    test: createTestProvider(clock),
    stripe: stripe
      ? (await import('./stripe/provider.ts')).createStripeProvider(stripe, payoutRail, clock)
      : null,
  }
  return {
    of: (environment) =>
      environment === 'sandbox' ? drivers.test : live === 'none' ? null : drivers[live],
    byId(id) {
      const provider = drivers[id]
      if (!provider) throw new Error(`the payment provider ${id} is not configured`)
      return provider
    },
    all: Object.values(drivers).filter((driver) => driver !== null),
  }
}

/** The provider that pays out beside the bank, as configured: null where files for the bank are all there is. */
export async function createPayoutRail({
  payoutRail,
  stripe,
}: Pick<Settings, 'payoutRail' | 'stripe'>): Promise<PayoutRail | null> {
  const drivers: Record<RailId, () => Promise<PayoutRail | null>> = {
    file: async () => null,
    stripe: async () =>
      stripe ? (await import('./stripe/payout-rail.ts')).createStripeRail(stripe) : null,
  }
  return await drivers[payoutRail]()
}
