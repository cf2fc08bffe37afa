import { XMLBuilder, XMLParser } from 'fast-xml-parser'

/** What draws. Scripts, links, animations and foreign content are not among it. */
const ELEMENTS = new Set(
  (
    'svg g defs symbol use title desc path rect circle ellipse line polyline polygon text tspan ' +
    'textPath image style linearGradient radialGradient stop pattern clipPath mask marker switch ' +
    'filter feBlend feColorMatrix feComponentTransfer feComposite feDropShadow feFlood feFuncA ' +
    'feFuncB feFuncG feFuncR feGaussianBlur feMerge feMergeNode feMorphology feOffset'
  ).split(' '),
)
const ATTRIBUTES = /^(?:xmlns|xmlns:xlink|xlink:href|xml:space|(?!on)[a-z][\w-]*)$/i
const OWN_PART = /^#/
const EMBEDDED_PICTURE = /^data:image\/(?:png|jpeg|gif|webp);base64,[\w+/=\s]*$/

/** An element is one entry under its name, beside `:@` with its attributes; text is under `#text`. */
type Node = Record<string, unknown>
const ATTRIBUTES_OF = ':@'

const OPTIONS = {
  preserveOrder: true,
  ignoreAttributes: false,
  attributeNamePrefix: '',
} as const

/**
 * An SVG picture with nothing left in it that runs, loads or links: elements and attributes that are not known to
 * draw are dropped. Null for what is no SVG.
 */
export function harmlessSvg(text: string): string | null {
  // Declared entities could stand for anything.
  const plain = text.replace(/^\uFEFF/, '').replace(/<!DOCTYPE[^>[]*>/i, '')
  if (/<!(?:DOCTYPE|ENTITY)/i.test(plain)) return null
  const parser = new XMLParser({
    ...OPTIONS,
    trimValues: false,
    parseTagValue: false,
    ignoreDeclaration: true,
    ignorePiTags: true,
  })
  let nodes: Node[]
  try {
    nodes = parser.parse(plain, true)
  } catch {
    return null
  }
  const root = nodes.filter((node) => 'svg' in node)
  if (root.length !== 1) return null
  return new XMLBuilder({ ...OPTIONS, suppressEmptyNode: true }).build(kept(root))
}

function kept(nodes: Node[]): Node[] {
  return nodes.flatMap((node) => {
    const name = Object.keys(node).find((key) => key !== ATTRIBUTES_OF) ?? ''
    if (name === '#text') return [node]
    if (!ELEMENTS.has(name)) return []
    const children = node[name] as Node[]
    if (name === 'style' && !children.every((child) => isPlainStyle(String(child['#text'])))) {
      return []
    }
    const attributes = Object.entries((node[ATTRIBUTES_OF] ?? {}) as Record<string, string>)
    return [
      {
        [name]: kept(children),
        [ATTRIBUTES_OF]: Object.fromEntries(
          attributes.filter(([attribute, value]) => isHarmless(name, attribute, value)),
        ),
      },
    ]
  })
}

function isHarmless(element: string, attribute: string, value: string): boolean {
  if (!ATTRIBUTES.test(attribute)) return false
  if (attribute === 'xmlns' || attribute === 'xmlns:xlink') return true
  if (/href$/i.test(attribute)) {
    return OWN_PART.test(value) || (element === 'image' && EMBEDDED_PICTURE.test(value))
  }
  return isPlainStyle(value)
}

/** Refers to parts of the picture alone; an escape could hide that it does not. */
function isPlainStyle(text: string): boolean {
  return !/[@\\<]|url\s*\((?!\s*['"]?#)|javascript:|expression\s*\(|image(?:-set)?\s*\(/i.test(text)
}
