import { type Brand, legalLine } from '../../core/brand.ts'
import { rulesOf } from './site.ts'
import { ThemeSwitch } from './theme.tsx'

/** Who is behind the marketplace, on every page. */
export function Footer({
  site,
  home,
  back,
}: {
  site: Brand
  /** What the paths of our own pages follow; empty but on a page that is at another host. */
  home: string
  /** The page that it stands on. */
  back: string
}) {
  const { name, supportEmail } = site
  const seller = legalLine(site)
  const { terms, privacy } = rulesOf(site, home)
  return (
    <footer class="foot">
      <div>
        <p>
          <strong>{name}</strong>
          {seller !== null && <span>{seller}</span>}
          {supportEmail !== null && (
            <span>
              Questions? <a href={`mailto:${supportEmail}`}>{supportEmail}</a>
            </span>
          )}
        </p>
        <nav aria-label={`About ${name}`}>
          <a href={`${home}/about`}>About</a>
          <a href={`${home}/contact`}>Contact</a>
          <a href={terms}>Terms</a>
          <a href={privacy}>Privacy</a>
        </nav>
        {home === '' && <ThemeSwitch back={back} />}
      </div>
    </footer>
  )
}
