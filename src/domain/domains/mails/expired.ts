import { nameText } from 'domain-marketplace-domain-names'
import { type Letter, letter } from '../../../core/letter.tsx'
import { listed, namesInShort } from './names.ts'

/** Tells a user that names expired, and are no longer theirs. */
export function expiredMail(domains: readonly string[]): Letter {
  return letter(`Expired: ${namesInShort(domains)}`, [
    'These names expired and were not renewed in time. They are no longer yours.',
    listed(domains.map(nameText)),
  ])
}
