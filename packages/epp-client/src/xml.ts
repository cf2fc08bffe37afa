import { SaxesParser } from 'saxes'
import { BadFrame } from './errors.ts'

/** An element of what a server sent. */
export interface XmlElement {
  namespace: string
  /** Without its prefix. */
  name: string
  attributes: ReadonlyMap<string, string>
  children: XmlElement[]
  /** What stands in it directly, blanks at both ends removed. */
  text: string
}

/** An element that is to be sent, already written. */
export interface Markup {
  xml: string
}

/** Bound in every document: servers name where a schema is without binding the prefix of the attribute. */
const BOUND = { xsi: 'http://www.w3.org/2001/XMLSchema-instance' }
const MAX_DEPTH = 50
const MAX_ELEMENTS = 50_000

/**
 * Reads a document: well-formed XML with namespaces, and no document type, so that nothing expands. Throws
 * `BadFrame`.
 */
export function parseXml(text: string): XmlElement {
  const parser = new SaxesParser({ xmlns: true, additionalNamespaces: BOUND })
  const open: XmlElement[] = []
  let root: XmlElement | undefined
  let count = 0
  parser.on('error', (error) => {
    throw new BadFrame(`The server sent XML that is not well-formed: ${error.message}`)
  })
  parser.on('doctype', () => {
    throw new BadFrame('The server sent XML with a document type, which EPP does not have.')
  })
  parser.on('opentag', ({ uri, local, attributes }) => {
    count++
    if (open.length >= MAX_DEPTH || count > MAX_ELEMENTS) {
      throw new BadFrame('The server sent XML with too many elements.')
    }
    const element: XmlElement = {
      namespace: uri,
      name: local,
      attributes: new Map(Object.values(attributes).map((each) => [each.local, each.value])),
      children: [],
      text: '',
    }
    open.at(-1)?.children.push(element)
    open.push(element)
    root ??= element
  })
  const addText = (piece: string) => {
    const element = open.at(-1)
    if (element) element.text += piece
  }
  parser.on('text', addText)
  parser.on('cdata', addText)
  parser.on('closetag', () => {
    const element = open.pop()
    if (element) element.text = element.text.trim()
  })
  parser.write(text).close()
  if (!root) throw new BadFrame('The server sent an empty document.')
  return root
}

/** The elements of a namespace and name that stand in `parent` directly. */
export function childrenOf(
  parent: XmlElement | null | undefined,
  namespace: string,
  name: string,
): XmlElement[] {
  return (parent?.children ?? []).filter(
    (child) => child.namespace === namespace && child.name === name,
  )
}

export function childOf(
  parent: XmlElement | null | undefined,
  namespace: string,
  name: string,
): XmlElement | null {
  return childrenOf(parent, namespace, name)[0] ?? null
}

/** The text of a child, or null where it is absent or empty. */
export function textIn(
  parent: XmlElement | null | undefined,
  namespace: string,
  name: string,
): string | null {
  return childOf(parent, namespace, name)?.text || null
}

/** The text of an element and of all that is in it. */
export function wholeText({ text, children }: XmlElement): string {
  return [text, ...children.map(wholeText)].filter((part) => part !== '').join(' ')
}

/** A date and time; RFC 5731 has them in UTC, also where a server leaves the zone out. */
export function dateIn(
  parent: XmlElement | null | undefined,
  namespace: string,
  name: string,
): Date | null {
  const text = textIn(parent, namespace, name)
  if (text === null) return null
  const hasZone = /(?:z|[+-]\d\d:?\d\d)$/i.test(text)
  const date = new Date(hasZone || !text.includes(':') ? text : `${text}Z`)
  if (Number.isNaN(date.getTime())) throw new BadFrame(`The server sent the date ${text}.`)
  return date
}

type Content = string | Markup | null

/** Writes an element; texts are escaped, and what is null is left out. */
export function element(
  name: string,
  attributes: Record<string, string> = {},
  ...content: readonly (Content | readonly Content[])[]
): Markup {
  const written = Object.entries(attributes).map(([key, value]) => ` ${key}="${escaped(value)}"`)
  const inner = content
    .flat()
    .map((part) => (part === null ? '' : typeof part === 'string' ? escaped(part) : part.xml))
    .join('')
  const start = `${name}${written.join('')}`
  return { xml: inner === '' ? `<${start}/>` : `<${start}>${inner}</${name}>` }
}

const ESCAPES: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' }

function escaped(text: string): string {
  // What XML 1.0 cannot hold, in any form.
  if (/[^\t\n\r\u{20}-\u{D7FF}\u{E000}-\u{FFFD}\u{10000}-\u{10FFFF}]/u.test(text)) {
    throw new TypeError('A text with control characters cannot be sent.')
  }
  return text.replace(/[&<>"]/g, (character) => ESCAPES[character] ?? character)
}
