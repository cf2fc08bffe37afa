const encoder = new TextEncoder()

export async function hmacKey(
  key: Uint8Array<ArrayBuffer>,
  usage: 'sign' | 'verify',
): Promise<CryptoKey> {
  return await crypto.subtle.importKey('raw', key, { name: 'HMAC', hash: 'SHA-256' }, false, [
    usage,
  ])
}

export async function hmac(key: Uint8Array<ArrayBuffer>, text: string): Promise<ArrayBuffer> {
  return await crypto.subtle.sign('HMAC', await hmacKey(key, 'sign'), encoder.encode(text))
}

export function hex(bytes: ArrayBuffer): string {
  return [...new Uint8Array(bytes)].map((byte) => byte.toString(16).padStart(2, '0')).join('')
}
