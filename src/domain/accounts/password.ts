import { randomBytes, scrypt, timingSafeEqual } from 'node:crypto'
import { promisify } from 'node:util'
import { dictionary } from '@zxcvbn-ts/language-common'
import { z } from 'zod'
import { ApiError } from '../../core/errors.ts'
import { fairQueue, QueueFull } from '../../lib/fair-queue.ts'

const derive = promisify<string, Uint8Array, number, object, Buffer>(scrypt)

/** OWASP's second choice: 32 MiB and three passes, some 200 ms of one core. */
const COST = { N: 2 ** 15, r: 8, p: 3 }
const MAX_MEMORY = 64 * 1024 ** 2
const SALT_BYTES = 16
const KEY_BYTES = 32
/** At most two at a time, so that sign-ins leave cores and memory for everyone else; by turns of their addresses. */
const queue = fairQueue({ atOnce: 2, perClient: 20, overall: 500 })

/** The passwords that are tried first, most common first. */
const COMMON = new Set(dictionary['passwords-common'].slice(0, 10_000))

/** NIST SP 800-63B: length, none that everybody tries first, and no rules of composition. */
export const passwordField = z
  .string()
  .min(8, 'must have at least 8 characters')
  .max(200, 'must have at most 200 characters')
  .refine(
    (password) => !COMMON.has(password.toLowerCase()),
    'is one of the most common passwords: choose another',
  )

/**
 * Returns `scrypt$N$r$p$salt$key`, so that the cost can grow and old ones are still read.
 *
 * @param client whose turn it takes, such as an address
 */
export async function hashPassword(password: string, client = ''): Promise<string> {
  const salt = randomBytes(SALT_BYTES)
  return written(salt, await slowly(password, salt, COST, client))
}

function written(salt: Buffer, key: Buffer): string {
  const { N, r, p } = COST
  return ['scrypt', N, r, p, salt.toString('base64url'), key.toString('base64url')].join('$')
}

/** What no password fits, and takes as long to try as any. */
const NOBODYS = written(randomBytes(SALT_BYTES), randomBytes(KEY_BYTES))

/** Takes as long for an account that is not there. */
export async function passwordFits(
  password: string,
  hash: string | undefined,
  client = '',
): Promise<boolean> {
  const [, N, r, p, salt = '', key = ''] = (hash ?? NOBODYS).split('$')
  const wanted = Buffer.from(key, 'base64url')
  const cost = { N: Number(N), r: Number(r), p: Number(p) }
  const derived = await slowly(password, Buffer.from(salt, 'base64url'), cost, client)
  return timingSafeEqual(derived, wanted) && hash !== undefined
}

/** The same letters typed on another keyboard are the same password (RFC 8265). */
async function slowly(
  password: string,
  salt: Uint8Array,
  cost: typeof COST,
  client: string,
): Promise<Buffer> {
  try {
    return await queue(client, () =>
      derive(password.normalize('NFC'), salt, KEY_BYTES, { ...cost, maxmem: MAX_MEMORY }),
    )
  } catch (error) {
    if (!(error instanceof QueueFull)) throw error
    throw new ApiError('unavailable', 'Many people sign in just now. Try again.', { retryAfter: 5 })
  }
}
