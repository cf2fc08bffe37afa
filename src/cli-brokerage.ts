import { type Command, Option } from 'commander'
import { addList } from './cli-list.ts'
import { at, type Terminal, whole } from './cli-terminal.ts'

export function addBrokerageCommands(program: Command, terminal: Terminal): void {
  const { call } = terminal
  const brokerage = program.command('brokerage').description('brokerage cases of all partners')
  const cents = (flags: string, description: string) =>
    new Option(flags, description).argParser(whole)
  addList(brokerage, 'list', '/brokerage', terminal, ({ unassigned, ...rest }) => ({
    ...rest,
    assigned: unassigned ? 'false' : undefined,
  }))
    .option('--running', 'only those that have not ended')
    .option('--unassigned', 'only those that no broker has')
    .option('--status <status>', 'only those in this state')
  brokerage
    .command('show <case_id>')
    .action((caseId: string) => call('GET', at`/brokerage/${caseId}`))
  brokerage
    .command('move <case_id> <move>')
    .description('source, contact, negotiate, agree, complete, decline, no-contact or cancel')
    .addOption(cents('--price-cents <cents>', 'what was agreed; for agree and complete'))
    .option('--note <text>', 'shown to the buyer and the partner')
    .option('--buyer-consented', 'the buyer agreed to a price above the budget')
    .action((caseId: string, move: string, { priceCents, note, buyerConsented }) =>
      call('POST', at`/brokerage/${caseId}/${move}`, {
        price_cents: priceCents,
        note,
        buyer_consented: buyerConsented,
      }),
    )
  brokerage
    .command('assign <case_id> [assignee]')
    .description('give it to a broker; without one, back to the queue')
    .action((caseId: string, assignee?: string) =>
      call('POST', at`/brokerage/${caseId}/assign`, { assignee: assignee ?? null }),
    )
  brokerage
    .command('note <case_id> <text>')
    .description('for brokers only')
    .action((caseId: string, text: string) =>
      call('POST', at`/brokerage/${caseId}/notes`, { text }),
    )
  brokerage
    .command('contact <case_id>')
    .description('record a try to reach the owner')
    .requiredOption('--channel <channel>', 'email, phone, letter, message or other')
    .option('--text <text>', 'for brokers only')
    .action((caseId: string, { channel, text }) =>
      call('POST', at`/brokerage/${caseId}/contacts`, { channel, text }),
    )
  brokerage
    .command('offer <case_id>')
    .description('record an offer')
    .requiredOption('--by <side>', 'buyer or owner')
    .addOption(cents('--price-cents <cents>', 'how much').makeOptionMandatory())
    .option('--message <text>', 'shown to both sides')
    .option('--buyer-consented', 'the buyer agreed to a price above the budget')
    .action((caseId: string, { by, priceCents, message, buyerConsented }) =>
      call('POST', at`/brokerage/${caseId}/offers`, {
        made_by: by,
        price_cents: priceCents,
        message,
        buyer_consented: buyerConsented,
      }),
    )
  brokerage
    .command('answer <case_id> <offer_id> <answer>')
    .description('record what the other side said: accept or reject')
    .option('--buyer-consented', 'the buyer agreed to a price above the budget')
    .action((caseId: string, offerId: string, answer: string, { buyerConsented }) =>
      call('POST', at`/brokerage/${caseId}/offers/${offerId}/${answer}`, {
        buyer_consented: buyerConsented,
      }),
    )
  brokerage
    .command('link <case_id>')
    .description('a new progress link for the buyer; the old one ends')
    .option('--revoke', 'end it without a new one')
    .action((caseId: string, { revoke }) =>
      call(revoke ? 'DELETE' : 'POST', at`/brokerage/${caseId}/progress-link`),
    )
}
