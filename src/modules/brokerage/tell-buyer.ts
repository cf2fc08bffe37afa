import { queueMail } from '../../kernel/mail.ts'
import { nameText } from '../../lib/domain-name.ts'
import { type Case, readOffers } from './case.ts'
import { progressUrl } from './progress-link.ts'
import type { MoveContext } from './status.ts'
import { noteOf, tellStep, whatIsNext } from './story.ts'

/** Writes to the buyer what the case's last step was, in the transaction of that step. */
export async function tellBuyer({ tx, now, house }: MoveContext, row: Case): Promise<void> {
  const step = row.timeline.at(-1)
  if (!step) return
  const offers = await readOffers(tx, row.case_id)
  const open = offers.find(({ status }) => status === 'open')
  const url = progressUrl(house, row)
  const name = nameText(row.domain)
  const happened = tellStep(step, row.currency)
  const note = noteOf(step)
  const paragraphs = [
    `${name}: ${happened}`,
    note && `“${note}”`,
    whatIsNext(row, open),
    url && `Where it stands, at any time and without a login:\n${url}`,
    url && 'Keep this link to yourself: whoever has it sees this page.',
  ]
  const message = {
    to: row.buyer_email,
    subject: `${name}: ${happened}`,
    text: `${paragraphs.filter(Boolean).join('\n\n')}\n`,
  }
  await tx.executeQuery(queueMail(tx, now, message, row))
}
