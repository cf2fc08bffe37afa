import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { initWasm, Resvg } from '@resvg/resvg-wasm'
import { serveThread } from './serve-thread.ts'

// Drawing takes some 50 ms, which is too long for the thread that takes requests.

const resolve = createRequire(import.meta.url).resolve
const font = {
  fontBuffers: ['DejaVuSans', 'DejaVuSans-Bold'].map((name) =>
    readFileSync(resolve(`dejavu-fonts-ttf/ttf/${name}.ttf`)),
  ),
  defaultFontFamily: 'DejaVu Sans',
}

await initWasm(readFileSync(resolve('@resvg/resvg-wasm/index_bg.wasm')))

serveThread({
  /** An SVG as PNG, as wide as asked. */
  png(svg: string, width: number): Uint8Array {
    const drawn = new Resvg(svg, { font, fitTo: { mode: 'width', value: width } })
    const image = drawn.render()
    try {
      return image.asPng()
    } finally {
      image.free()
      drawn.free()
    }
  },
  /** How wide a text in bold is, in its own font size. */
  widthOf(escapedText: string): number {
    const size = 100
    const drawn = new Resvg(
      `<svg xmlns="http://www.w3.org/2000/svg" width="1" height="1"><text y="${size}" font-family="DejaVu Sans" font-weight="700" font-size="${size}">${escapedText}</text></svg>`,
      { font },
    )
    const box = drawn.getBBox()
    try {
      return (box?.width ?? 0) / size
    } finally {
      box?.free()
      drawn.free()
    }
  },
})
