import { nameText } from 'domain-marketplace-domain-names'
import { type Letter, letter } from '../../../core/letter.tsx'
import { listed, namesInShort } from './names.ts'

/** Tells a user that nothing proves any more that domains are theirs. */
export function claimLostMail(domains: readonly string[]): Letter {
  return letter(`No longer proven to be yours: ${namesInShort(domains)}`, [
    'We no longer find the proof that these domains are yours, or they have moved to another registrar. They are off ' +
      'the market, and no longer in your account.',
    listed(domains.map(nameText)),
    'If they are yours, set the TXT record again and claim them in your account.',
  ])
}
