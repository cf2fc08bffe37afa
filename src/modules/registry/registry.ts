/** What a registry knows of a registration. */
export interface WhoisRecord {
  domain: string
}

/** What a registry says of a name. */
export interface RegistryAnswer {
  state: 'available' | 'registered' | 'unknown'
  source: 'simulated' | 'rdap' | 'whois'
  checkedAt: Date
  record: WhoisRecord | null
}

/** Whoever can say whether a name is registered. */
export interface Registry {
  lookup(domain: string, signal?: AbortSignal): Promise<RegistryAnswer>
  close(): Promise<void>
}

declare module '../../kernel/house.ts' {
  interface House {
    registry: Registry
  }
}
