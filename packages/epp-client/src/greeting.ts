import { BadFrame } from './errors.ts'
import { EPP } from './namespaces.ts'
import { childOf, childrenOf, textIn, type XmlElement } from './xml.ts'

/** What a server says of itself (RFC 5730, section 2.4). */
export interface Greeting {
  /** Its name for itself. */
  server: string
  versions: readonly string[]
  languages: readonly string[]
  /** Namespaces of the objects and extensions that it offers. */
  objects: readonly string[]
  extensions: readonly string[]
}

/** Throws `BadFrame` where it is none. */
export function readGreeting(document: XmlElement): Greeting {
  const greeting = document.name === 'epp' ? childOf(document, EPP, 'greeting') : null
  const menu = childOf(greeting, EPP, 'svcMenu')
  if (!greeting || !menu) throw new BadFrame('The server sent no EPP greeting.')
  const textsOf = (parent: XmlElement | null, name: string) =>
    childrenOf(parent, EPP, name).map(({ text }) => text)
  return {
    server: textIn(greeting, EPP, 'svID') ?? 'unnamed',
    versions: textsOf(menu, 'version'),
    languages: textsOf(menu, 'lang'),
    objects: textsOf(menu, 'objURI'),
    extensions: textsOf(childOf(menu, EPP, 'svcExtension'), 'extURI'),
  }
}
