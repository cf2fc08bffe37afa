/** Where names are registered: one way to ask, whether the registries are real or simulated. */

export interface WhoisRecord {
  registrar: { name: string | null; iana_id: string | null } | null
  /** Who holds the name, as far as registries publish it: never a person. */
  registrant: { organization: string | null; country: string | null; redacted: boolean } | null
  /** RFC 3339 UTC with milliseconds. */
  created_at: string | null
  updated_at: string | null
  expires_at: string | null
  /** EPP status codes, such as `clientTransferProhibited`. */
  status: string[]
  nameservers: string[]
  /** Whether the delegation is signed; null when the registry does not say. */
  dnssec: boolean | null
}

export interface RegistryResult {
  state: 'available' | 'registered' | 'unknown'
  source: 'simulated' | 'rdap' | 'whois'
  checkedAt: Date
  record: WhoisRecord | null
}

export interface Registry {
  /**
   * What the registry says of a name. It never rejects for what a registry does or fails to do: what cannot
   * be found out is `unknown`. It rejects when the signal aborts.
   */
  lookup(domain: string, signal?: AbortSignal): Promise<RegistryResult>
  close(): Promise<void>
}
