import { X509Certificate } from 'node:crypto'
import { isIP } from 'node:net'
import { checkServerIdentity, type PeerCertificate } from 'node:tls'

const CERTIFICATE = /-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g

/**
 * Why a certificate, which its authority vouches for, is not that of a host; undefined when it is (RFC 5734,
 * section 9). Registries also sign their own, with any name: who configures that very certificate knows the server
 * by it.
 */
export function identityProblem(
  host: string,
  certificate: PeerCertificate,
  ca: string | undefined,
): Error | undefined {
  const isConfigured = (ca?.match(CERTIFICATE) ?? []).some(
    (pem) => new X509Certificate(pem).fingerprint256 === certificate.fingerprint256,
  )
  if (isConfigured) return undefined
  // Without alternative names the common name counts, which Node.js does not compare with an address.
  const isNamed = !certificate.subjectaltname && certificate.subject.CN === host
  return isIP(host) !== 0 && isNamed ? undefined : checkServerIdentity(host, certificate)
}
