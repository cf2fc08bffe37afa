import { createPrivateKey, X509Certificate } from 'node:crypto'
import { isIP } from 'node:net'
import { isLoopbackUrl } from 'domain-marketplace-safe-fetch'
import { z } from 'zod'
import { tldsField } from './driver.ts'

const CERTIFICATE = /-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g
const HOST_NAME = /^(?=.{1,253}$)(?:[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?\.)*[a-z0-9-]{1,63}$/i
/** No control characters, and no blank at either end: XML would lose those. */
const TEXT = /^\S(?:[^\p{Cc}]*\S)?$/u
const timeoutField = z.int().min(1).max(60_000).default(30_000)

const textField = (issue: string) =>
  z
    .string()
    .max(128)
    .refine((text) => TEXT.test(text), issue)

/** No shorter than RFC 5730 has it (`clIDType`). */
const identifierField = (issue: string) => textField(issue).min(3)

const pemCertificates = z
  .string()
  .refine(isCertificates, 'must be one or more certificates as PEM text')

const TLS_ISSUE = 'must be an object of `ca`, `cert` and `key`, or false'

const tlsField = z
  .strictObject(
    {
      ca: pemCertificates.optional(),
      cert: pemCertificates.optional(),
      key: z
        .string()
        .refine(isPrivateKey, 'must be a private key as PEM text, without a passphrase')
        .optional(),
    },
    TLS_ISSUE,
  )
  .refine(({ cert, key }) => (cert === undefined) === (key === undefined), {
    path: ['key'],
    message: 'must be given together with `cert`',
    // Also where one of them is no PEM text.
    when: ({ value }) => typeof value === 'object' && value !== null,
  })
  .refine(({ cert, key }) => !cert || !key || isPair(cert, key), {
    path: ['key'],
    message: 'must be the key of the certificate in `cert`',
  })

/** An account at a server that speaks EPP (contract, section 16). */
export const EppConfig = z
  .strictObject({
    host: z.string().refine((host) => isIP(host) !== 0 || HOST_NAME.test(host), {
      message: 'must be a host name or an IP address',
      abort: true,
    }),
    port: z.int().min(1).max(65_535).default(700),
    user: identifierField('must be the client identifier that the registry gave you'),
    password: textField('must be a password without line breaks, and without blanks at its ends'),
    tlds: tldsField,
    tls: z.union([z.literal(false), tlsField], TLS_ISSUE).default({}),
    login_timeout_ms: timeoutField,
    command_timeout_ms: timeoutField,
    /** What the registry calls us as the sponsor of domains, where that is not the user. */
    client_id: identifierField('must be the identifier of a registrar').optional(),
  })
  .refine(({ host, tls }) => tls !== false || isLoopback(host), {
    path: ['tls'],
    message: 'may be false for a server on this machine only (localhost, 127.0.0.1 or ::1)',
  })

export type EppConfig = z.output<typeof EppConfig>

function isLoopback(host: string): boolean {
  const written = isIP(host) === 6 ? `[${host}]` : host
  return URL.canParse(`http://${written}`) && isLoopbackUrl(`http://${written}`)
}

function isCertificates(pem: string): boolean {
  const blocks = pem.match(CERTIFICATE) ?? []
  try {
    return blocks.length > 0 && blocks.every((block) => new X509Certificate(block))
  } catch {
    return false
  }
}

function isPrivateKey(pem: string): boolean {
  try {
    return createPrivateKey(pem).type === 'private'
  } catch {
    return false
  }
}

/** Of the first certificate, which is the client's own; those after it lead to its authority. */
function isPair(cert: string, key: string): boolean {
  try {
    return new X509Certificate(cert).checkPrivateKey(createPrivateKey(key))
  } catch {
    return true
  }
}
