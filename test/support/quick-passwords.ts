import crypto from 'node:crypto'
import { syncBuiltinESMExports } from 'node:module'

/**
 * Hashing a password takes 200 ms of a core, on purpose: a sixth of what the tests' processes did. In them scrypt takes a
 * hundredth of the memory that it is asked for; the tests that start the service as a process hash as it does.
 */
const { scrypt } = crypto
crypto.scrypt = ((password, salt, length, { N = 2 ** 14, ...options }, done) =>
  scrypt(password, salt, length, { ...options, N: Math.min(N, 2 ** 8) }, done)) as typeof scrypt
syncBuiltinESMExports()
