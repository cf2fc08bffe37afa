/** The contrast that text needs with what it stands on (WCAG 2.2, 1.4.3). */
export const READABLE = 4.5

const WHITE = '#ffffff'
const BLACK = '#000000'

/** The contrast of two colors, both `#rrggbb`, from 1 to 21. */
export function contrast(one: string, other: string): number {
  const [dark = 0, light = 0] = [luminance(one), luminance(other)].toSorted((a, b) => a - b)
  return (light + 0.05) / (dark + 0.05)
}

/** A color with so much of another one in it, from 0 to 1. */
export function mix(color: string, other: string, share: number): string {
  const others = channels(other)
  const mixed = channels(color).map((value, index) =>
    Math.round(value + ((others[index] ?? 0) - value) * share),
  )
  return `#${mixed.map((value) => value.toString(16).padStart(2, '0')).join('')}`
}

/** The color, as much darker as it must be to be read on each of these grounds. */
export function darkenedFor(color: string, grounds: readonly string[], least: number): string {
  return movedTowards(color, BLACK, grounds, least)
}

/** The color, as much lighter as it must be to be read on each of these grounds. */
export function lightenedFor(color: string, grounds: readonly string[], least: number): string {
  return movedTowards(color, WHITE, grounds, least)
}

function movedTowards(
  color: string,
  end: string,
  grounds: readonly string[],
  least: number,
): string {
  for (let share = 0; share < 1; share += 0.02) {
    const moved = mix(color, end, share)
    if (grounds.every((ground) => contrast(moved, ground) >= least)) return moved
  }
  return end
}

function channels(color: string): number[] {
  return [1, 3, 5].map((at) => Number.parseInt(color.slice(at, at + 2), 16))
}

function luminance(color: string): number {
  const [red = 0, green = 0, blue = 0] = channels(color).map((value) => {
    const part = value / 255
    return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4
  })
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue
}
