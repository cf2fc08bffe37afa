import { startThread, type Thread } from './thread.ts'

/** Draws SVG as PNG, in a thread of its own that starts with the first picture. */
export interface Drawing {
  png(svg: string, width: number): Promise<Buffer>
  /** How wide a text in bold is, as a multiple of its font size. */
  widthOf(escapedText: string): Promise<number>
  stop(): Promise<void>
}

export function createDrawing(): Drawing {
  let thread: Thread | undefined
  async function ask(name: string, ...values: unknown[]): Promise<unknown> {
    thread ??= startThread(new URL('./drawing-thread', import.meta.url), import.meta.url)
    return await thread.call(name, ...values)
  }
  return {
    png: async (svg, width) => Buffer.from((await ask('png', svg, width)) as Uint8Array),
    widthOf: async (escapedText) => Number(await ask('widthOf', escapedText)),
    async stop() {
      await thread?.stop()
    },
  }
}
