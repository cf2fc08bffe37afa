import { renderToString } from 'preact-render-to-string'
import type { Letter } from './letter.tsx'

/** The marketplace as its mails name it. */
export interface Brand {
  name: string
  /** Where people may write to; null: nowhere. */
  supportEmail: string | null
  /** The public address, without a slash at the end. */
  baseUrl: string
}

export function brandOf({ baseUrl }: { baseUrl: string }): Brand {
  return { name: 'Domain Marketplace', supportEmail: null, baseUrl }
}

const BODY = [
  'margin:0',
  'padding:24px 16px',
  'font-family:system-ui,-apple-system,Segoe UI,Roboto,Helvetica,Arial,sans-serif',
  'font-size:16px',
  'line-height:1.5',
].join(';')

/**
 * A whole mail: its letter under the marketplace's name, over its address. Text and background keep the
 * reader's own colors, so that it can be read in dark mode; it loads nothing from anywhere.
 */
export function framed(brand: Brand, { subject, text, html }: Letter): Letter {
  const { name, supportEmail, baseUrl } = brand
  const help = supportEmail === null ? '' : `Questions? Write to ${supportEmail}.\n`
  const document = renderToString(
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width" />
        <meta name="color-scheme" content="light dark" />
        <meta name="supported-color-schemes" content="light dark" />
        <style>{':root{color-scheme:light dark}'}</style>
        <title>{subject}</title>
      </head>
      <body style={BODY}>
        <div style="max-width:560px;margin:0 auto">
          <p style="font-weight:700;font-size:18px">{name}</p>
          <div dangerouslySetInnerHTML={{ __html: html }} />
          <p style="margin-top:32px;font-size:14px;opacity:0.7">
            {supportEmail && (
              <>
                Questions? Write to <a href={`mailto:${supportEmail}`}>{supportEmail}</a>.
                <br />
              </>
            )}
            {name} · <a href={baseUrl}>{baseUrl}</a>
          </p>
        </div>
      </body>
    </html>,
  )
  return {
    subject,
    text: `${text}\n-- \n${help}${name}\n${baseUrl}\n`,
    html: `<!doctype html>${document}`,
  }
}
