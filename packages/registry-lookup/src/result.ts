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

/** What is known of a name, and from where. */
export interface RegistryResult {
  /**
   * `reserved`: the registry keeps it from everybody. `premium`: it can be registered, at a price of its own, which
   * the registry does not say here.
   */
  state: 'available' | 'registered' | 'reserved' | 'premium' | 'unknown'
  /** Why it cannot be had at the usual price, in the registry's words; otherwise null. */
  reason: string | null
  source: 'rdap' | 'whois'
  checkedAt: Date
  record: WhoisRecord | null
}
