/** A language that samples are written in. */
export type Language = 'curl' | 'typescript' | 'python' | 'php'

const WIDTH = 60
const STEPS: Record<Language, number> = { curl: 2, typescript: 2, python: 4, php: 4 }

/** Data as a literal of a language, on one line where it is short. */
export function literalOf(value: unknown, language: Language, indent = 0): string {
  const flat = flatOf(value, language)
  if (flat.length + indent <= WIDTH || !isFilled(value)) return flat
  const step = indent + STEPS[language]
  const inner = ' '.repeat(step)
  const [open, close] = bracketsOf(value, language)
  const lines = entriesOf(value).map(
    ([key, part]) => `${inner}${keyOf(key, language)}${literalOf(part, language, step)}`,
  )
  // JSON alone knows no comma behind the last.
  const end = language === 'curl' ? '' : ','
  return `${open}\n${lines.join(',\n')}${end}\n${' '.repeat(indent)}${close}`
}

function flatOf(value: unknown, language: Language): string {
  if (language === 'curl') return JSON.stringify(value)
  if (typeof value === 'string') return quoted(value, language)
  if (language === 'python' && typeof value === 'boolean') return value ? 'True' : 'False'
  if (language === 'python' && value === null) return 'None'
  if (typeof value !== 'object' || value === null) return String(value)
  const [open, close] = bracketsOf(value, language)
  const parts = entriesOf(value).map(
    ([key, part]) => `${keyOf(key, language)}${flatOf(part, language)}`,
  )
  const isSpaced = language === 'typescript' && !Array.isArray(value) && parts.length > 0
  return isSpaced ? `{ ${parts.join(', ')} }` : `${open}${parts.join(', ')}${close}`
}

function isFilled(value: unknown): value is object {
  return typeof value === 'object' && value !== null && Object.keys(value).length > 0
}

function entriesOf(value: object): [key: string | null, part: unknown][] {
  return Array.isArray(value) ? value.map((part) => [null, part]) : Object.entries(value)
}

function bracketsOf(value: object, language: Language): [open: string, close: string] {
  return Array.isArray(value) || language === 'php' ? ['[', ']'] : ['{', '}']
}

function keyOf(key: string | null, language: Language): string {
  if (key === null) return ''
  if (language === 'php') return `${quoted(key, language)} => `
  if (language === 'typescript' && /^[a-z_$][\w$]*$/i.test(key)) return `${key}: `
  return `${language === 'curl' ? JSON.stringify(key) : quoted(key, language)}: `
}

/** In single quotes; only what PHP reads escapes in as well is escaped, since it reads no others there. */
export function quoted(text: string, language: Language): string {
  const escaped = text.replaceAll('\\', '\\\\').replaceAll("'", "\\'")
  return `'${language === 'php' ? escaped : escaped.replaceAll('\n', '\\n')}'`
}
