export const THEME_PATH = '/theme'
/** Its address does not change with its content, which is the visitor's own. */
export const THEME_STYLE = '/pages/theme.css'

/** The first is what visitors have who chose none. */
export const THEMES = [
  { value: 'system', label: 'System', scheme: 'light dark' },
  { value: 'light', label: 'Light', scheme: 'light' },
  { value: 'dark', label: 'Dark', scheme: 'dark' },
] as const

/** Chooses how all pages look; `back` is the page that it stands on. */
export function ThemeSwitch({ back }: { back: string }) {
  return (
    <form method="post" action={THEME_PATH} class="theme" aria-label="Theme">
      <input type="hidden" name="back" value={back} />
      {THEMES.map(({ value, label }) => (
        <button type="submit" name="theme" value={value}>
          {label}
        </button>
      ))}
    </form>
  )
}
