import type { FastifyRequest } from 'fastify'
import type { AppContext } from '../../core/context.ts'
import { assertUnderLimit, uncount } from '../../core/rate-limits.ts'
import { passwordFits } from '../../domain/accounts/password.ts'
import { assertNotGuessed, countWrongPassword } from '../../domain/accounts/sign-in-guard.ts'
import { type User, userByEmail } from '../../domain/accounts/user.ts'
import { addressOf, type Web } from '../../http/web.ts'
import { sha256Hex } from '../../lib/signature.ts'

/** Wrong passwords a minute of one address for one account, so that nobody else can lock its owner out. */
const PER_ACCOUNT = 10
/** Passwords a minute of one address, right ones too: each keeps a core busy, which all who sign in wait for. */
const PER_ADDRESS = 60

/** Counts a password that is about to be derived; rejects when its address has had its share of them. */
export async function countPassword(web: Web, request: FastifyRequest, now: Date): Promise<void> {
  const subject = `sign_in:${addressOf(request)}`
  assertUnderLimit(await web.count({ subject, limit: PER_ADDRESS, now }), now)
}

/** The account that the password fits, or null. It takes as long either way. */
export async function checkPassword(
  app: AppContext,
  web: Web,
  request: FastifyRequest,
  { email, password }: { email: string; password: string },
): Promise<User | null> {
  const { db, clock } = app
  const now = clock.now()
  const subject = `sign_in:${addressOf(request)}:${sha256Hex(email.toLowerCase())}`
  // Counted before it is known whether it fits, or many guesses at once would all be below the limit.
  const [state] = await Promise.all([
    web.count({ subject, limit: PER_ACCOUNT, now }),
    countPassword(web, request, now),
  ])
  assertUnderLimit(state, now)
  const user = await userByEmail(db, email)
  if (user) await assertNotGuessed(db, now, user, request.ip)
  const fits = await passwordFits(password, user?.password_hash, addressOf(request))
  if (user && !fits) await countWrongPassword(app, now, user)
  if (!fits || !user || user.disabled_at !== null) return null
  await uncount(db, [subject], now)
  return user
}
