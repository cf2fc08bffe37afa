import type { Letter } from '../../core/letter.tsx'
import { queueMail } from '../../core/mail.ts'
import type { Tx } from '../../core/operation.ts'
import { mustFindUser } from '../accounts/user.ts'

/** Writes a mail to a user, with the change that it belongs to. */
export async function mailUser(tx: Tx, now: Date, userId: string, mail: Letter): Promise<void> {
  const { email } = await mustFindUser(tx, userId)
  await tx.executeQuery(queueMail(tx, now, { to: email, ...mail }))
}
