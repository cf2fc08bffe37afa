import type { RegistryResult as LookupResult } from 'domain-marketplace-registry-lookup'

/** Where names are registered: one way to ask, whether the registries are real or simulated. */

export interface RegistryResult extends Omit<LookupResult, 'source'> {
  source: LookupResult['source'] | 'simulated'
}

export interface Registry {
  /**
   * What the registry says of a name. It never rejects for what a registry does or fails to do: what cannot
   * be found out is `unknown`. It rejects when the signal aborts.
   */
  lookup(domain: string, signal?: AbortSignal): Promise<RegistryResult>
  close(): Promise<void>
}
