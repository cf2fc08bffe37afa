import { nameText } from 'domain-marketplace-domain-names'
import { type Letter, letter } from '../../../core/letter.tsx'
import { listed, namesInShort } from './names.ts'

/** What somebody with a stolen account or token would do first; its owner reads of each. */
export const MAILED_OPS = ['unlock', 'set_nameservers', 'list_for_sale'] as const
type MailedOp = (typeof MAILED_OPS)[number]

const WORDS: Record<MailedOp, { subject: string; body: string }> = {
  unlock: {
    subject: 'Transfer lock removed',
    body: 'The transfer lock of these domains was removed in your account.',
  },
  set_nameservers: {
    subject: 'Name servers changed',
    body: 'The name servers of these domains were changed in your account.',
  },
  list_for_sale: {
    subject: 'Listed for sale',
    body: 'These domains were listed for sale in your account.',
  },
}

interface ChangedDomains {
  op: MailedOp
  domains: readonly string[]
  nameservers: readonly string[]
  priceText: string | null
  /** From when on they can be bought; null is at once. */
  sellsFrom: Date | null
}

/** Tells users what was done with their domains, in case it was somebody else who did it. */
export function domainsChangedMail(changed: ChangedDomains): Letter {
  const { op, domains, nameservers, priceText, sellsFrom } = changed
  const facts: [string, string][] = []
  if (nameservers.length > 0) facts.push(['Name servers', nameservers.join(', ')])
  if (priceText !== null) facts.push(['Price', priceText])
  return letter(`${WORDS[op].subject}: ${namesInShort(domains)}`, [
    WORDS[op].body,
    listed(domains.map(nameText)),
    facts.length > 0 ? { facts } : null,
    sellsFrom &&
      `Nobody can buy them before ${sellsFrom.toISOString().slice(0, 16).replace('T', ' ')} UTC, since a password was reset or a token made shortly before.`,
    'If this was not you, reset your password and revoke the tokens in your account: a reset ends all of them.',
  ])
}
