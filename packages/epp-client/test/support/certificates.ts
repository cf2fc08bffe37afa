import { generateKeyPairSync, type KeyObject, randomBytes, sign } from 'node:crypto'
import { isIPv4 } from 'node:net'

export interface Certificate {
  /** PEM texts. */
  cert: string
  key: string
}

interface Issuer extends Certificate {
  name: string
  privateKey: KeyObject
}

/** An authority of a test's own (X.509 version 3, RFC 5280), with elliptic curve keys. */
export class CertificateAuthority {
  readonly #issuer: Issuer

  constructor(name = 'Test authority') {
    this.#issuer = issue(name, null, [])
  }

  get ca(): string {
    return this.#issuer.cert
  }

  /** Its own certificate, as servers have it that sign their own. */
  get own(): Certificate {
    const { cert, key } = this.#issuer
    return { cert, key }
  }

  /** @param hosts names and IPv4 addresses that the certificate is for */
  issue(name: string, hosts: readonly string[] = []): Certificate {
    const { cert, key } = issue(name, this.#issuer, hosts)
    return { cert, key }
  }
}

const ECDSA_WITH_SHA256 = sequence(oid(0x2a, 0x86, 0x48, 0xce, 0x3d, 0x04, 0x03, 0x02))

function issue(name: string, issuer: Issuer | null, hosts: readonly string[]): Issuer {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  const extensions = [
    // Basic constraints: whether it may sign others.
    extension([0x55, 0x1d, 0x13], sequence(...(issuer ? [] : [der(0x01, Buffer.from([0xff]))]))),
    ...(hosts.length > 0 ? [extension([0x55, 0x1d, 0x11], sequence(...hosts.map(hostName)))] : []),
  ]
  const signed = sequence(
    der(0xa0, der(0x02, Buffer.from([2]))),
    der(0x02, Buffer.concat([Buffer.from([1]), randomBytes(15)])),
    ECDSA_WITH_SHA256,
    commonName(issuer?.name ?? name),
    sequence(time(-1), time(365)),
    commonName(name),
    publicKey.export({ type: 'spki', format: 'der' }),
    der(0xa3, sequence(...extensions)),
  )
  const signature = sign('sha256', signed, issuer?.privateKey ?? privateKey)
  const bits = der(0x03, Buffer.concat([Buffer.from([0]), signature]))
  return {
    name,
    privateKey,
    cert: pem(sequence(signed, ECDSA_WITH_SHA256, bits)),
    key: String(privateKey.export({ type: 'pkcs8', format: 'pem' })),
  }
}

function der(tag: number, content: Buffer): Buffer {
  const { length } = content
  const size =
    length < 0x80 ? [length] : length < 0x100 ? [0x81, length] : [0x82, length >> 8, length & 0xff]
  return Buffer.concat([Buffer.from([tag, ...size]), content])
}

function sequence(...parts: Buffer[]): Buffer {
  return der(0x30, Buffer.concat(parts))
}

function oid(...bytes: number[]): Buffer {
  return der(0x06, Buffer.from(bytes))
}

function extension(id: number[], value: Buffer): Buffer {
  return sequence(oid(...id), der(0x04, value))
}

function commonName(name: string): Buffer {
  return sequence(der(0x31, sequence(oid(0x55, 0x04, 0x03), der(0x0c, Buffer.from(name)))))
}

function hostName(host: string): Buffer {
  return isIPv4(host)
    ? der(0x87, Buffer.from(host.split('.').map(Number)))
    : der(0x82, Buffer.from(host))
}

function time(days: number): Buffer {
  const iso = new Date(Date.now() + days * 86_400_000).toISOString()
  return der(0x17, Buffer.from(`${iso.slice(2, 19).replace(/[-:T]/g, '')}Z`))
}

function pem(content: Buffer): string {
  const lines = content.toString('base64').match(/.{1,64}/g) ?? []
  return `-----BEGIN CERTIFICATE-----\n${lines.join('\n')}\n-----END CERTIFICATE-----\n`
}
