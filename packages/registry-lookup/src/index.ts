export { type Bootstrap, readBootstrap } from './bootstrap.ts'
export {
  createRegistryLookup,
  type RegistryLookup,
  type RegistryLookupOptions,
  type WhoisServer,
} from './lookup.ts'
export type { RegistryResult, WhoisRecord } from './result.ts'
export { readWhoisResponse } from './whois.ts'
export { whoisDate } from './whois-date.ts'
