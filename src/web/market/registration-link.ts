import type { Settings } from '../../core/settings.ts'

/** Where a name that nobody has can be registered: no registrar connection does, so it is somebody else's site. */
export function registrationLink(
  { registrationUrl }: Pick<Settings, 'registrationUrl'>,
  domain: string,
): string | null {
  return registrationUrl?.replaceAll('{domain}', encodeURIComponent(domain)) ?? null
}
