import { renderToString } from 'preact-render-to-string'

/** A part of a mail's content. */
type Part =
  /** A paragraph. */
  | string
  | { button: string; url: string }
  | { facts: readonly (readonly [name: string, value: string])[] }
  | { list: readonly string[] }
  /** The words of a person. */
  | { quote: string }

/** What a mail says, in both of its forms. The frame around them is added when it is sent. */
export interface Letter {
  subject: string
  text: string
  html: string
}

/** RFC 5322 allows 998 characters a line. */
const MAX_LINE = 900

/** Writes a mail: its content stands here once, and is made into text and HTML. Null, false and '' are left out. */
export function letter(subject: string, content: readonly (Part | null | false)[]): Letter {
  const parts = content.filter((part): part is Part => Boolean(part))
  return {
    subject,
    text: `${parts.map(textOf).map(fold).join('\n\n')}\n`,
    html: renderToString(<>{parts.map(htmlOf)}</>),
  }
}

function textOf(part: Part): string {
  if (typeof part === 'string') return part
  if ('button' in part) return `${part.button}:\n${part.url}`
  if ('facts' in part) return part.facts.map(([name, value]) => `${name}: ${value}`).join('\n')
  if ('list' in part) return part.list.map((item) => `- ${item}`).join('\n')
  return `“${part.quote}”`
}

/** Breaks lines that are too long at their blanks, and where there is none, within. */
export function fold(text: string): string {
  const long = new RegExp(
    `(?=[^\\n]{${MAX_LINE + 1}})([^\\n]{1,${MAX_LINE}}) |([^\\n]{${MAX_LINE}})(?=[^\\n])`,
    'g',
  )
  return text.replace(long, (_, words?: string, piece?: string) => `${words ?? piece}\n`)
}

/** Of a button, until the mail is framed in the brand's color. */
export const BUTTON_GROUND = 'background:#1864ab'

const BUTTON = [
  'display:inline-block',
  'padding:12px 20px',
  'border-radius:6px',
  BUTTON_GROUND,
  'color:#ffffff',
  'font-weight:600',
  'text-decoration:none',
].join(';')

function htmlOf(part: Part) {
  if (typeof part === 'string') return <p style="white-space:pre-line">{part}</p>
  if ('button' in part) {
    return (
      <p>
        <a href={part.url} style={BUTTON}>
          {part.button}
        </a>
      </p>
    )
  }
  if ('facts' in part) {
    return (
      <table role="presentation" style="border-collapse:collapse;margin:16px 0">
        {part.facts.map(([name, value]) => (
          <tr>
            <td style="padding:4px 16px 4px 0;opacity:0.7;vertical-align:top">{name}</td>
            <td style="padding:4px 0;font-weight:600">{value}</td>
          </tr>
        ))}
      </table>
    )
  }
  if ('list' in part) {
    return (
      <ul style="padding-left:20px">
        {part.list.map((item) => (
          <li>{item}</li>
        ))}
      </ul>
    )
  }
  return (
    <blockquote style="margin:16px 0;padding-left:12px;border-left:3px solid #94a3b8;white-space:pre-line">
      “{part.quote}”
    </blockquote>
  )
}
