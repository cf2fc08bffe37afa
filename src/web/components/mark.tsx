import type { Look } from '../../core/brand.ts'

/** A letter and a dot, as every name has them. */
const MARK =
  'M12.5 8.5a7 7 0 1 0 0 14 7 7 0 0 0 0-14m0 4a3 3 0 1 1 0 6 3 3 0 0 1 0-6M24.5 17.5a2.5 2.5 0 1 0 0 5 2.5 2.5 0 0 0 0-5'

/** The logo, or the mark that stands for it; what it means is said beside it. */
export function Mark({ logo }: Pick<Look, 'logo'>) {
  if (logo !== null) return <img class="logo" src={logo.src} alt="" height={32} />
  return (
    <svg class="mark" viewBox="0 0 32 32" width="28" height="28" aria-hidden="true">
      <rect width="32" height="32" rx="7" />
      <path d={MARK} />
    </svg>
  )
}

/** The mark as a picture of its own. */
export function markSvg(color: string, radius = 7): string {
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32"><rect width="32" height="32" rx="${radius}" fill="${color}"/><path d="${MARK}" fill="#fff"/></svg>`
}
