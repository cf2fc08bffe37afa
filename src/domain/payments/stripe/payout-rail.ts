import { Stripe } from 'stripe'
import type { Settings } from '../../../core/settings.ts'
import type { PayoutRail, RailAccount, RailTransfer } from '../../payees/payout-rail.ts'
import { toStripe } from './amount.ts'
import { stripeClient } from './client.ts'

/** Where Stripe asks payees who they are. */
const PAGES = 'https://connect.stripe.com'

/**
 * Stripe Connect: payees open an account on Stripe's own pages, and a payout is a transfer to it from the platform's
 * balance (docs.stripe.com/connect/separate-charges-and-transfers).
 */
export function createStripeRail(settings: NonNullable<Settings['stripe']>): PayoutRail {
  const stripe = stripeClient(settings)
  const api = new URL(settings.apiBase)
  return {
    id: 'stripe',
    label: 'Stripe',
    pageOrigins: [...new Set([PAGES, api.origin])],
    async openAccount({ id, email, country }) {
      try {
        const account = await stripe.accounts.create(
          {
            country,
            email,
            // Stripe asks for what it needs, and the payee signs in there; we neither see nor keep it.
            controller: {
              fees: { payer: 'application' },
              losses: { payments: 'application' },
              stripe_dashboard: { type: 'express' },
            },
            capabilities: { transfers: { requested: true } },
            metadata: { payee_id: id },
          },
          { idempotencyKey: id },
        )
        return readAccount(account)
      } catch (error) {
        if (!(error instanceof Stripe.errors.StripeInvalidRequestError)) throw error
        return { rejected: error.message }
      }
    },
    async onboardingPage(accountId, ourPage) {
      const { url } = await stripe.accountLinks.create({
        account: accountId,
        type: 'account_onboarding',
        return_url: ourPage,
        refresh_url: ourPage,
      })
      return url
    },
    async lookUpAccount(accountId) {
      return readAccount(await stripe.accounts.retrieve(accountId))
    },
    async send({ id, amountCents, currency, accountId, attempts }) {
      if (attempts > 0) {
        // Stripe forgets idempotency keys, and a stopped service may come back later than that.
        const { data } = await stripe.transfers.list({ transfer_group: id, limit: 1 })
        if (data[0]) return readTransfer(data[0])
      }
      try {
        const transfer = await stripe.transfers.create(
          {
            amount: toStripe(amountCents, currency),
            currency: currency.toLowerCase(),
            destination: accountId,
            transfer_group: id,
            metadata: { payout_id: id },
          },
          { idempotencyKey: id },
        )
        return readTransfer(transfer)
      } catch (error) {
        // What is wrong with the request stays wrong, as too small a balance does for this key.
        if (!(error instanceof Stripe.errors.StripeInvalidRequestError)) throw error
        return { status: 'rejected', reason: error.message }
      }
    },
  }
}

export function readAccount(account: Stripe.Account): RailAccount {
  return {
    accountId: account.id,
    ready: account.capabilities?.transfers === 'active' && account.payouts_enabled,
    country: account.country ?? '',
    currency: (account.default_currency ?? '').toUpperCase(),
  }
}

export function readTransfer({
  id,
  reversed,
  metadata,
  transfer_group,
}: Stripe.Transfer): RailTransfer {
  return {
    payoutId: metadata.payout_id ?? transfer_group ?? '',
    ref: id,
    status: reversed ? 'returned' : 'paid',
  }
}
