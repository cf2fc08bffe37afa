import { type Letter, letter } from '../../../core/letter.tsx'
import type { Schema } from '../../../db/schema.ts'
import { moneyText } from '../../../lib/money.ts'

type Statement = Pick<
  Schema['settlements'],
  | 'id'
  | 'environment'
  | 'currency'
  | 'received_cents'
  | 'due_at'
  | 'gross_sold_cents'
  | 'commission_retained_cents'
>

/** Reminds a partner of what it still owes. */
export function statementOverdueMail(statement: Statement, baseUrl: string): Letter {
  const { id, environment, currency, received_cents, due_at } = statement
  const owed = (statement.gross_sold_cents ?? 0) - (statement.commission_retained_cents ?? 0)
  const day = due_at?.toISOString().slice(0, 10) ?? ''
  return letter(`A statement of yours was due on ${day}`, [
    'We have not received all that you owe for the domains that you sold in this period.',
    {
      facts: [
        ['Statement', id],
        ['Owed', moneyText(owed, currency)],
        ['Received', moneyText(received_cents, currency)],
        ['Open', moneyText(owed - received_cents, currency)],
        ['Due', day],
      ],
    },
    { button: 'Open the statement', url: `${baseUrl}/partner/${environment}/settlements/${id}` },
    'If you have already paid, there is nothing to do.',
  ])
}
