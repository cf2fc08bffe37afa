import { readFileSync } from 'node:fs'
import { flawOf } from '../address.ts'
import { parseWithFile, Usage } from './command.ts'
import { BadReceipt, type VerifiedReceipt, verifyReceipt } from './receipt.ts'

const HELP = `marketplace verify-receipt FILE

Verifies a delivery receipt with the public keys of the marketplace that issued it. FILE holds the signed
token, or the JSON of GET /orders/{public_id}/receipt; - reads it from standard input. No credential is needed,
and with a file of keys nothing is asked of any server. Exit code 0: it is good; 1: it proves nothing.

  --jwks FILE|URL      the public keys. Default: those of the service at --base-url
  --base-url URL       the marketplace whose receipt it should be. Default: SERVICE_URL
  --issuer URL         whose receipt it must be. Default: --base-url; with --jwks alone, any
  --quote-token TOKEN  checks that it is of this quote
  --payment-ref REF    checks that it is of the payment with this reference
  --json               print it as one line of JSON
`

const TIMEOUT_MS = 30_000
const MAX_BYTES = 1_000_000

/** Answers the exit code. */
export async function verifyReceiptCommand(args: string[]): Promise<number> {
  const { values, file } = parseWithFile(args, {
    jwks: { type: 'string' },
    'base-url': { type: 'string' },
    issuer: { type: 'string' },
    'quote-token': { type: 'string' },
    'payment-ref': { type: 'string' },
    json: { type: 'boolean', default: false },
    help: { type: 'boolean', short: 'h' },
  })
  if (values.help) {
    process.stdout.write(HELP)
    return 0
  }
  if (file === undefined) throw new Usage('name the file that holds the receipt, or - for stdin.')
  const base = values['base-url'] ?? (values.jwks === undefined ? serviceUrl() : undefined)
  const flaw = base === undefined ? null : flawOf(base)
  if (flaw) throw new Usage(`the address of the marketplace ${flaw}`)
  const token = tokenOf(read(file === '-' ? 0 : file, file))
  const jwks = await keysOf(values.jwks ?? `${trimmed(base ?? '')}/.well-known/jwks.json`)
  try {
    const receipt = verifyReceipt(token, jwks, {
      issuer: values.issuer ?? (base === undefined ? undefined : trimmed(base)),
      quoteToken: values['quote-token'],
      paymentRef: values['payment-ref'],
    })
    process.stdout.write(
      values.json ? `${JSON.stringify({ valid: true, ...receipt })}\n` : say(receipt),
    )
    return 0
  } catch (error) {
    if (!(error instanceof BadReceipt)) throw error
    if (values.json) {
      process.stdout.write(`${JSON.stringify({ valid: false, reason: error.message })}\n`)
    } else process.stderr.write(`NOT VALID: ${error.message}\n`)
    return 1
  }
}

function serviceUrl(): string {
  return process.env['SERVICE_URL'] || 'http://localhost:3000'
}

function trimmed(url: string): string {
  return url.replace(/\/+$/, '')
}

function read(from: string | 0, name: string): string {
  try {
    return readFileSync(from, 'utf8')
  } catch (error) {
    throw new Usage(`${name} cannot be read: ${(error as Error).message}`)
  }
}

/** The token itself, or the field of the response that has it. */
function tokenOf(text: string): string {
  const plain = text.trim()
  if (!plain.startsWith('{')) return plain
  try {
    const { receipt } = JSON.parse(plain)
    if (typeof receipt === 'string') return receipt
  } catch {
    // Falls through to the message.
  }
  throw new Usage('the file is JSON without a receipt in it.')
}

async function keysOf(from: string): Promise<unknown> {
  try {
    return JSON.parse(/^https?:\/\//.test(from) ? await download(from) : readFileSync(from, 'utf8'))
  } catch (error) {
    throw new Usage(`the keys at ${from} cannot be read: ${(error as Error).message}`)
  }
}

async function download(url: string): Promise<string> {
  const response = await fetch(url, {
    headers: { accept: 'application/json' },
    signal: AbortSignal.timeout(TIMEOUT_MS),
  })
  const text = await response.text()
  if (!response.ok) throw new Error(`the response is ${response.status}`)
  if (text.length > MAX_BYTES) throw new Error('the response is too long')
  return text
}

function say({ kid, environment, claims }: VerifiedReceipt): string {
  const lines: [string, string | null][] = [
    ['receipt', claims.jti],
    ['issuer', claims.iss],
    ['key', kid],
    ['order', claims.public_id],
    ['domain', claims.domain],
    ['price', `${(claims.price_cents / 100).toFixed(2)} ${claims.currency}`],
    ['sold', claims.sold_at],
    ['delivered', claims.delivered_at],
    ['quote sha256', claims.quote_sha256],
    ['payment sha256', claims.payment_ref_sha256],
    ['registrar asked', told(claims.registrar.asked)],
    ['registrar said', told(claims.registrar.answered)],
    ['registry before', told(claims.registry.before)],
    ['registry after', told(claims.registry.after)],
  ]
  const title = environment === 'sandbox' ? 'VALID, of a test: nothing real was delivered' : 'VALID'
  return `${title}\n${lines.map(([name, value]) => `  ${name.padEnd(16)} ${value ?? '-'}\n`).join('')}`
}

function told(value: object | null): string | null {
  return value && JSON.stringify(value)
}
