import type { Brand } from '../../core/brand.ts'
import { scriptAddress, styleAddress } from '../assets.ts'
import type { PageOptions } from './frame.tsx'
import { accentAddress, STANDARD_COLOR } from './site.ts'
import { THEME_STYLE } from './theme.tsx'

/** The size that networks show pictures of pages in. */
export const CARD = { width: 1200, height: 630 }
export const CARD_PATH = '/brand/card.png'

/** What browsers, search engines and networks read of a page. */
export function Head({
  title,
  section,
  environment,
  hidden = false,
  abroad = false,
  scripts = [],
  path,
  site,
  ...options
}: PageOptions & {
  /** The page's own address, without a query. */
  path: string
  site: Brand
}) {
  const mark = environment === 'sandbox' && 'Sandbox'
  const full = [mark, title, section?.name, site.name].filter(Boolean).join(' · ')
  return (
    <head>
      <meta charset="utf-8" />
      <meta name="viewport" content="width=device-width, initial-scale=1" />
      {hidden && <meta name="robots" content="noindex, nofollow" />}
      <title>{full}</title>
      <meta name="theme-color" content={site.color} />
      <link rel="stylesheet" href={styleAddress} />
      {!abroad && <link rel="stylesheet" href={THEME_STYLE} />}
      {site.color !== STANDARD_COLOR && <link rel="stylesheet" href={accentAddress(site.color)} />}
      <Icons {...site} />
      {!hidden && <Shared {...options} title={title} path={path} site={site} />}
      {scripts.map((name) => (
        <script type="module" src={scriptAddress(name)} />
      ))}
    </head>
  )
}

function Icons({ logo, color }: Brand) {
  return (
    <>
      {logo === null ? (
        <link rel="icon" type="image/svg+xml" href={`/brand/icon.svg?color=${color.slice(1)}`} />
      ) : (
        <link rel="icon" href={logo.src} {...(logo.file && { type: logo.file.type })} />
      )}
      <link rel="apple-touch-icon" href="/brand/touch-icon.png" />
    </>
  )
}

/** What is said of the page where somebody finds or shares it. */
function Shared({
  title,
  path,
  site,
  canonical = path,
  description,
  picture = { path: CARD_PATH, alt: site.name },
  jsonLd,
}: Pick<PageOptions, 'title' | 'canonical' | 'description' | 'picture' | 'jsonLd'> & {
  path: string
  site: Brand
}) {
  const url = site.baseUrl + canonical
  const properties = {
    'og:type': 'website',
    'og:site_name': site.name,
    'og:title': title,
    'og:description': description,
    'og:url': url,
    'og:image': site.baseUrl + picture.path,
    'og:image:type': 'image/png',
    'og:image:width': String(CARD.width),
    'og:image:height': String(CARD.height),
    'og:image:alt': picture.alt,
  }
  return (
    <>
      <link rel="canonical" href={url} />
      {description !== undefined && <meta name="description" content={description} />}
      {Object.entries(properties).map(
        ([property, content]) =>
          content !== undefined && <meta property={property} content={content} />,
      )}
      <meta name="twitter:card" content="summary_large_image" />
      {jsonLd !== undefined && (
        <script
          type="application/ld+json"
          // A `<` within could end the element.
          dangerouslySetInnerHTML={{ __html: JSON.stringify(jsonLd).replaceAll('<', '\\u003c') }}
        />
      )}
    </>
  )
}
