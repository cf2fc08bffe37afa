/** Namespaces of EPP: the protocol, its objects and its extensions, with the RFC that defines each. */
export const EPP = 'urn:ietf:params:xml:ns:epp-1.0' // RFC 5730
export const DOMAIN = 'urn:ietf:params:xml:ns:domain-1.0' // RFC 5731
export const HOST = 'urn:ietf:params:xml:ns:host-1.0' // RFC 5732
export const RGP = 'urn:ietf:params:xml:ns:rgp-1.0' // RFC 3915
export const SEC_DNS = 'urn:ietf:params:xml:ns:secDNS-1.1' // RFC 5910
export const FEE = 'urn:ietf:params:xml:ns:epp:fee-1.0' // RFC 8748

/** What this client manages; of it, a login names what the server offers too. */
export const OBJECTS: readonly string[] = [DOMAIN, HOST]
export const EXTENSIONS: readonly string[] = [RGP, SEC_DNS, FEE]
