import { randomUUID } from 'node:crypto'

type Thing = Record<string, unknown> & { id: string }

/** The part of Stripe's API about connected accounts and transfers to them. */
export function stripeConnect(apiBase: string) {
  const accounts: Thing[] = []
  const transfers: (Thing & { transfer_group: string | null; reversed: boolean })[] = []
  const rejecting: { message: string | null } = { message: null }

  function answer(method: string, url: string, form: URLSearchParams): object | null {
    const { pathname, searchParams } = new URL(url, apiBase)
    const id = pathname.split('/').at(-1)
    if (pathname === '/v1/account_links') {
      return { object: 'account_link', url: `${apiBase}/onboard/${form.get('account')}` }
    }
    if (pathname.startsWith('/v1/accounts')) {
      return method === 'GET' ? found(accounts, id) : account(form)
    }
    if (!pathname.startsWith('/v1/transfers')) return null
    if (method === 'POST') return transfer(form)
    if (id !== 'transfers') return found(transfers, id)
    const data = transfers.filter(
      ({ transfer_group }) => transfer_group === searchParams.get('transfer_group'),
    )
    return { object: 'list', data, has_more: false }
  }

  function account(form: URLSearchParams): object {
    if (form.get('country') === 'KP') return rejection('Country KP is not supported.')
    const made = {
      id: `acct_${randomUUID().replaceAll('-', '').slice(0, 16)}`,
      object: 'account',
      country: form.get('country'),
      default_currency: 'eur',
      email: form.get('email'),
      capabilities: { transfers: 'inactive' },
      payouts_enabled: false,
      metadata: { payee_id: form.get('metadata[payee_id]') },
    }
    accounts.push(made)
    return made
  }

  function transfer(form: URLSearchParams): object {
    if (rejecting.message !== null) return rejection(rejecting.message)
    const made = {
      id: `tr_${randomUUID()}`,
      object: 'transfer',
      amount: Number(form.get('amount')),
      currency: form.get('currency'),
      destination: form.get('destination'),
      transfer_group: form.get('transfer_group'),
      metadata: { payout_id: form.get('metadata[payout_id]') },
      reversed: false,
    }
    transfers.push(made)
    return made
  }

  return {
    answer,
    accounts,
    transfers,
    rejecting,
    /** The payee has told Stripe who they are, and Stripe believes it. */
    verify(id: string): Thing {
      const account = accounts.find((one) => one.id === id)
      if (!account) throw new Error(`no account ${id}`)
      return Object.assign(account, {
        capabilities: { transfers: 'active' },
        payouts_enabled: true,
      })
    },
  }
}

function found(things: Thing[], id: string | undefined): object {
  return things.find((one) => one.id === id) ?? rejection(`No such object: ${id}`)
}

function rejection(message: string) {
  return { error: { type: 'invalid_request_error', message } }
}
