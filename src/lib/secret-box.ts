import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto'

const NONCE_BYTES = 12
const TAG_BYTES = 16

/** Encrypts what we must be able to read again, with AES-256-GCM (contract, section 3). */
export interface SecretBox {
  /** @param purpose what the secret is and whose; it must be given again to open the box */
  seal(plaintext: string, purpose: string): Buffer
  /** Throws when the key or the purpose is another, or the box was altered. */
  open(sealed: Uint8Array, purpose: string): string
}

export function createSecretBox(key: Uint8Array): SecretBox {
  if (key.length !== 32) throw new Error('a secrets key has 32 bytes')
  return {
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
  }
}
