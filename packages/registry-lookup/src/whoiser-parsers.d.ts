declare module 'whoiser/src/parsers.js' {
  /** Reads the text of a WHOIS response into labels that are the same for all registries. */
  export function parseDomainWhois(
    domain: string,
    text: string,
    ignorePrivacy: boolean,
  ): Record<string, string | string[] | undefined>
}
