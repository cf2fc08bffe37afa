import { nameText } from 'domain-marketplace-domain-names'
import { type Letter, letter } from '../../../core/letter.tsx'
import type { Case, CaseStep, Offer } from '../case.ts'
import { describeStep, noteOf, whatIsNext } from '../case-texts.ts'

/**
 * Tells the buyer of a case about its last step and what comes next.
 *
 * @param url the progress page; null while its link is revoked
 */
export function caseProgressMail(
  row: Case,
  step: CaseStep,
  open: Offer | undefined,
  url: string | null,
): Letter {
  const name = nameText(row.domain)
  const happened = describeStep(step, row.currency)
  const note = noteOf(step)
  return letter(`${name}: ${happened}`, [
    `${name}: ${happened}`,
    note && { quote: note },
    whatIsNext(row, open),
    url && 'You can see where it stands at any time, without signing in.',
    url && { button: 'See the progress', url },
    url && 'Please keep this link to yourself: anyone who has it can see the page.',
  ])
}
