import { z } from 'zod'
import { contrast, READABLE } from '../lib/color.ts'
import { lineField } from './fields.ts'

// What a brand is made of, whether it is the marketplace's own or a partner's.

export const brandNameField = lineField(80).refine(
  (text) => text.trim() !== '',
  'must not be blank',
)

/** `#rrggbb` in lower case. Buttons have it under white text. */
export const brandColorField = z
  .string()
  .trim()
  .regex(/^#[0-9a-f]{6}$/i, { error: 'must be a color such as #1864ab', abort: true })
  .toLowerCase()
  .refine((color) => contrast(color, '#ffffff') >= READABLE, {
    error: ({ input }) => tooLight(String(input)),
  })

function tooLight(color: string): string {
  // Rounded down, so that what is too little never reads as enough.
  const found = (Math.floor(contrast(color, '#ffffff') * 100) / 100).toFixed(2)
  return `${color} has a contrast of ${found} on white, and needs at least ${READABLE}: choose a darker color`
}

/** The address of a picture at another host: a page may load it and nothing else from there. */
export const logoUrlField = z
  .url({ protocol: /^https$/, error: 'must be an https address', abort: true })
  .max(2_048, 'must have at most 2048 characters')
  .refine((url) => !/[\s\p{Cc}]/u.test(url), 'must not hold spaces or line breaks')
  .refine((url) => new URL(url).username === '', 'must not hold a user name')
  .transform((url) => new URL(url).href)
