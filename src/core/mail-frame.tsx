import { renderToString } from 'preact-render-to-string'
import { type Brand, legalLine } from './brand.ts'
import { BUTTON_GROUND, type Letter } from './letter.tsx'

const BODY = [
  'margin:0',
  'padding:24px 16px',
  'font-family:system-ui,-apple-system,Segoe UI,Roboto,Helvetica,Arial,sans-serif',
  'font-size:16px',
  'line-height:1.5',
].join(';')

/**
 * A whole mail: its letter under the marketplace's name, over who it is from. Text and background keep the
 * reader's own colors, so that it can be read in dark mode; it loads nothing but the marketplace's logo.
 */
export function framed(brand: Brand, { subject, text, html }: Letter): Letter {
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
        <div
          style={`max-width:560px;margin:0 auto;padding-top:20px;border-top:4px solid ${brand.color}`}
        >
          <Head {...brand} />
          <div
            dangerouslySetInnerHTML={{
              __html: html.replaceAll(BUTTON_GROUND, `background:${brand.color}`),
            }}
          />
          <Foot {...brand} />
        </div>
      </body>
    </html>,
  )
  return {
    subject,
    text: `${text}\n-- \n${footText(brand)}`,
    html: `<!doctype html>${document}`,
  }
}

/** A logo stands on white, since most are made for it. */
const LOGO = [
  'height:32px',
  'width:auto',
  'max-width:160px',
  'padding:4px',
  'border-radius:6px',
  'background:#ffffff',
  'vertical-align:middle',
  'margin-right:10px',
].join(';')

function Head({ name, logo, baseUrl }: Brand) {
  return (
    <p style="font-weight:700;font-size:18px">
      {logo && <img src={mailedLogo(logo.src, baseUrl)} alt="" height={32} style={LOGO} />}
      {name}
    </p>
  )
}

/** Most readers of mails show no SVG: the service also has its logo as PNG. */
function mailedLogo(src: string, baseUrl: string): string {
  return src.startsWith('/') ? new URL(src.replace('?', '.png?'), baseUrl).href : src
}

function Foot(brand: Brand) {
  const { name, supportEmail, baseUrl } = brand
  const [seller, { terms, privacy }] = [legalLine(brand), rulesOf(brand)]
  return (
    <p style="margin-top:32px;font-size:14px;opacity:0.7">
      {supportEmail && (
        <>
          Questions? Write to <a href={`mailto:${supportEmail}`}>{supportEmail}</a>.
          <br />
        </>
      )}
      {name} · <a href={baseUrl}>{baseUrl}</a>
      <br />
      {seller !== null && (
        <>
          {seller}
          <br />
        </>
      )}
      <a href={terms}>Terms</a> · <a href={privacy}>Privacy</a>
    </p>
  )
}

function footText(brand: Brand): string {
  const { name, supportEmail, baseUrl } = brand
  const [seller, { terms, privacy }] = [legalLine(brand), rulesOf(brand)]
  return [
    ...(supportEmail === null ? [] : [`Questions? Write to ${supportEmail}.`]),
    name,
    baseUrl,
    ...(seller === null ? [] : [seller]),
    `Terms: ${terms}`,
    `Privacy: ${privacy}`,
    '',
  ].join('\n')
}

function rulesOf({ baseUrl, termsUrl, privacyUrl }: Brand) {
  return { terms: termsUrl ?? `${baseUrl}/terms`, privacy: privacyUrl ?? `${baseUrl}/privacy` }
}
