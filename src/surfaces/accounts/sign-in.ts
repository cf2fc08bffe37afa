import type { FastifyRequest } from 'fastify'
import type { House } from '../../kernel/house.ts'
import { refuseOverLimit, uncount } from '../../kernel/rate-limits.ts'
import { sha256Hex } from '../../lib/signature.ts'
import { passwordFits } from '../../modules/accounts/password.ts'
import { type User, userByEmail } from '../../modules/accounts/user.ts'
import { addressOf, type Web } from '../web.ts'

/** Wrong passwords a minute of one address for one account, so that nobody else can lock its owner out. */
const PER_ACCOUNT = 10
/** Wrong passwords a minute of one address, whatever the accounts. */
const PER_ADDRESS = 60

/** The account that the password fits, or null. It takes as long either way. */
export async function checkPassword(
  { db, clock }: House,
  web: Web,
  request: FastifyRequest,
  { email, password }: { email: string; password: string },
): Promise<User | null> {
  const address = addressOf(request)
  const limits = [
    { subject: `sign_in:${address}:${sha256Hex(email.toLowerCase())}`, limit: PER_ACCOUNT },
    { subject: `sign_in:${address}`, limit: PER_ADDRESS },
  ]
  const now = clock.now()
  // Counted before it is known whether it fits, or many guesses at once would all be below the limit.
  for (const state of await Promise.all(limits.map((each) => web.count({ ...each, now })))) {
    refuseOverLimit(state, now)
  }
  const user = await userByEmail(db, email)
  const fits = await passwordFits(password, user?.password_hash)
  if (!fits || !user || user.disabled_at !== null) return null
  await uncount(
    db,
    limits.map(({ subject }) => subject),
    now,
  )
  return user
}
