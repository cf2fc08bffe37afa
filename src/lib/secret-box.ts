import { createCipheriv, createDecipheriv, createHmac, hkdfSync, randomBytes } from 'node:crypto'
import { fromBase64url } from './base64url.ts'

const NONCE_BYTES = 12
const TAG_BYTES = 16
const SALT_BYTES = 16
const KEY_BYTES = 32
const DIGEST_BYTES = 16
const FIRST_BLOCK = Buffer.of(1)
const ZERO_NONCE = Buffer.alloc(NONCE_BYTES)

/** Encrypts what we must be able to read again, with AES-256-GCM (contract, section 3). */
export interface SecretBox {
  /** @param purpose what the secret is and whose; it must be given again to open the box */
  seal(plaintext: string, purpose: string): Buffer
  /** Throws when the key or the purpose is another, or the box was altered. */
  open(sealed: Uint8Array, purpose: string): string
  /** The same sealed with the first key; null when it is already. */
  reseal(sealed: Uint8Array, purpose: string): Buffer | null
  /**
   * Seals what strangers carry around, as text for a URL. There may be any number of these, so that random
   * nonces might repeat: each gets a key of its own instead, expanded from a random salt (HKDF-Expand, RFC
   * 5869, section 2.3).
   */
  sealToken(plaintext: string, purpose: string): string
  /** Returns null when the token is not one of ours for this purpose, to the last bit. */
  openToken(token: string, purpose: string): string | null
  /** What stands for a text where only its being the same matters: 16 bytes that lead back to nothing. */
  digest(text: string, purpose: string): Buffer
}

/** @param keys the first one seals; those after it, which it has replaced, still open what they sealed */
export function createSecretBox(...keys: [Uint8Array, ...Uint8Array[]]): SecretBox {
  const [first, ...older] = keys.map(boxOf) as [KeyBox, ...KeyBox[]]
  const all = [first, ...older]
  return {
    digest: first.digest,
    seal: first.seal,
    open(sealed, purpose) {
      for (const box of older) {
        const text = attempt(() => box.open(sealed, purpose))
        if (text !== null) return text
      }
      return first.open(sealed, purpose)
    },
    reseal(sealed, purpose) {
      if (attempt(() => first.open(sealed, purpose)) !== null) return null
      return first.seal(this.open(sealed, purpose), purpose)
    },
    sealToken: first.sealToken,
    openToken(token, purpose) {
      for (const box of all) {
        const text = box.openToken(token, purpose)
        if (text !== null) return text
      }
      return null
    },
  }
}

type KeyBox = Omit<SecretBox, 'reseal'>

function attempt(open: () => string): string | null {
  try {
    return open()
  } catch {
    return null
  }
}

function boxOf(key: Uint8Array): KeyBox {
  if (key.length !== KEY_BYTES) throw new Error('a secrets key has 32 bytes')
  const tokenKey = new Uint8Array(hkdfSync('sha256', key, '', 'token', KEY_BYTES))
  const keyOf = (salt: Uint8Array) =>
    createHmac('sha256', tokenKey).update(salt).update(FIRST_BLOCK).digest()
  /** As 0.1.0 derived it: what it sealed is still out there, such as the clicks of 30 days. */
  const olderKeyOf = (salt: Uint8Array) =>
    new Uint8Array(hkdfSync('sha256', key, salt, 'token', KEY_BYTES))
  const digestKey = new Uint8Array(hkdfSync('sha256', key, '', 'digest', KEY_BYTES))
  return {
    digest: (text, purpose) =>
      createHmac('sha256', digestKey)
        .update(`${purpose}\n${text}`)
        .digest()
        .subarray(0, DIGEST_BYTES),
    seal(plaintext, purpose) {
      const nonce = randomBytes(NONCE_BYTES)
      const cipher = createCipheriv('aes-256-gcm', key, nonce).setAAD(Buffer.from(purpose))
      const text = Buffer.concat([cipher.update(plaintext, 'utf8'), cipher.final()])
      return Buffer.concat([nonce, cipher.getAuthTag(), text])
    },
    open(sealed, purpose) {
      const box = Buffer.from(sealed)
      const decipher = createDecipheriv('aes-256-gcm', key, box.subarray(0, NONCE_BYTES))
        .setAAD(Buffer.from(purpose))
        .setAuthTag(box.subarray(NONCE_BYTES, NONCE_BYTES + TAG_BYTES))
      return (
        decipher.update(box.subarray(NONCE_BYTES + TAG_BYTES), undefined, 'utf8') +
        decipher.final('utf8')
      )
    },
    sealToken(plaintext, purpose) {
      const salt = randomBytes(SALT_BYTES)
      const cipher = createCipheriv('aes-256-gcm', keyOf(salt), ZERO_NONCE).setAAD(
        Buffer.from(purpose),
      )
      const text = Buffer.concat([cipher.update(plaintext, 'utf8'), cipher.final()])
      return Buffer.concat([salt, cipher.getAuthTag(), text]).toString('base64url')
    },
    openToken(token, purpose) {
      const bytes = fromBase64url(token)
      if (bytes === null || bytes.length < SALT_BYTES + TAG_BYTES) return null
      const [salt, tag, text] = [
        bytes.subarray(0, SALT_BYTES),
        bytes.subarray(SALT_BYTES, SALT_BYTES + TAG_BYTES),
        bytes.subarray(SALT_BYTES + TAG_BYTES),
      ]
      for (const derive of [keyOf, olderKeyOf]) {
        const decipher = createDecipheriv('aes-256-gcm', derive(salt), ZERO_NONCE)
          .setAAD(Buffer.from(purpose))
          .setAuthTag(tag)
        try {
          return decipher.update(text, undefined, 'utf8') + decipher.final('utf8')
        } catch {
          // Sealed with the other, or not by us.
        }
      }
      return null
    },
  }
}
