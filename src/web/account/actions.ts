import type { ApiError } from '../../core/errors.ts'
import type { BulkOp, BulkParams } from '../../domain/domains/bulk-op.ts'
import { HOME_CURRENCY } from '../../lib/money.ts'
import { fieldText } from '../components/humanize.ts'
import { parseAmount } from '../components/money.ts'

/** Something that can be done with the chosen domains: an operation, and what it still has to be told. */
interface Action {
  label: string
  /** On the button that does it. */
  verb: string
  op: BulkOp
  params?: BulkParams
  asks?: 'years' | 'nameservers' | 'price'
}

export const ACTIONS = {
  renew: { label: 'Renew', verb: 'Renew', op: 'renew', asks: 'years' },
  auto_renew_on: {
    label: 'Renew by themselves',
    verb: 'Switch on',
    op: 'set_auto_renew',
    params: { enabled: true },
  },
  auto_renew_off: {
    label: 'Let expire unless renewed by hand',
    verb: 'Switch off',
    op: 'set_auto_renew',
    params: { enabled: false },
  },
  lock: { label: 'Lock against transfers', verb: 'Lock', op: 'lock' },
  unlock: { label: 'Unlock for a transfer', verb: 'Unlock', op: 'unlock' },
  privacy_on: {
    label: 'Hide the registrant in WHOIS',
    verb: 'Hide',
    op: 'set_privacy',
    params: { enabled: true },
  },
  privacy_off: {
    label: 'Show the registrant in WHOIS',
    verb: 'Show',
    op: 'set_privacy',
    params: { enabled: false },
  },
  nameservers: {
    label: 'Change name servers',
    verb: 'Change',
    op: 'set_nameservers',
    asks: 'nameservers',
  },
  list_for_sale: {
    label: 'Put up for sale',
    verb: 'Offer',
    op: 'list_for_sale',
    asks: 'price',
  },
  delist: { label: 'Take off the market', verb: 'Take off', op: 'delist' },
} as const satisfies Record<string, Action>
export type ActionName = keyof typeof ACTIONS

export function actionOf(name: string | null): (Action & { name: ActionName }) | null {
  if (name === null || !Object.hasOwn(ACTIONS, name)) return null
  return { name: name as ActionName, ...ACTIONS[name as ActionName] }
}

/** What an action asks for, as it was typed. */
export interface ActionFields {
  years: string
  nameservers: string
  price: string
  floor_price: string
  offers: string
  min_offer: string
}
type Problems = Partial<Record<keyof ActionFields, string>>

export function fieldsOf(form: URLSearchParams): ActionFields {
  return {
    years: form.get('years') ?? '1',
    nameservers: form.get('nameservers') ?? '',
    price: form.get('price') ?? '',
    floor_price: form.get('floor_price') ?? '',
    offers: form.get('offers') === 'off' ? 'off' : 'open',
    min_offer: form.get('min_offer') ?? '',
  }
}

/** The operation's params; null while the action has not been told all that it asks for. */
export function paramsOf(
  { asks, params = {} }: Action,
  fields: ActionFields,
): { params: BulkParams | null; problems: Problems } {
  switch (asks) {
    case 'years': {
      const years = Number(fields.years)
      if (Number.isInteger(years) && years >= 1 && years <= 10) return good({ years })
      return wrong({ years: 'Choose 1 to 10 years.' })
    }
    case 'nameservers':
      return good({ nameservers: hostsIn(fields) })
    case 'price': {
      if (fields.price === '') return { params: null, problems: {} }
      const price_cents = parseAmount(fields.price, HOME_CURRENCY)
      if (price_cents === null) return wrong({ price: 'Write an amount such as 500 or 1,250.00.' })
      const params: BulkParams = { price_cents, offers: fields.offers === 'off' ? 'off' : 'open' }
      for (const field of ['floor_price', 'min_offer'] as const) {
        if (fields[field] === '') continue
        const cents = parseAmount(fields[field], HOME_CURRENCY)
        if (cents === null || cents > price_cents) {
          return wrong({ [field]: 'Write an amount that is not above the price.' })
        }
        params[`${field}_cents`] = cents
      }
      return good(params)
    }
    default:
      return good(params)
  }
}

function hostsIn({ nameservers }: ActionFields): string[] {
  return nameservers.split(/[\s,]+/).filter(Boolean)
}

/** What the operation rejected in its params, beside the fields that people filled in. */
export function problemsIn(error: ApiError, fields: ActionFields): Problems {
  const problems: Problems = {}
  for (const problem of error.issues) {
    const [, param, index] = /^params\.(\w+?)(?:_cents)?(?:\.(\d+))?$/.exec(problem.field) ?? []
    if (param === undefined || !Object.hasOwn(fields, param)) continue
    const subject = index === undefined ? 'It' : `“${hostsIn(fields)[Number(index)]}”`
    problems[param as keyof ActionFields] ??= fieldText(problem, subject)
  }
  return problems
}

const good = (params: BulkParams) => ({ params, problems: {} })
const wrong = (problems: Problems) => ({ params: null, problems })
