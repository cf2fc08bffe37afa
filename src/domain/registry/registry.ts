import type { RegistryResult as LookupResult } from 'domain-marketplace-registry-lookup'

/** Where names are registered: one way to ask, whether the registries are real or simulated. */

export interface RegistryResult extends Omit<LookupResult, 'source'> {
  source: LookupResult['source'] | 'simulated'
}

export interface Registry {
  /**
   * What the registry says of a name. It never rejects for what a registry does or fails to do: what cannot
   * be found out is `unknown`. It rejects when the signal aborts.
   * @param client who asks, of whom nobody may use up what a registry allows
   * @param maxAgeMs how old what it said before may be; absent, as old as results are kept
   */
  lookup(
    domain: string,
    signal?: AbortSignal,
    client?: string,
    maxAgeMs?: number,
  ): Promise<RegistryResult>
  close(): Promise<void>
}
