#!/usr/bin/env node
// A checkout has the sources, and runs them: nothing need be built first.
import { existsSync } from 'node:fs'

const sources = new URL('../src/bin/main.ts', import.meta.url)
if (existsSync(sources)) {
  const { tsImport } = await import('tsx/esm/api')
  await tsImport(sources.href, import.meta.url)
} else await import(new URL('../dist/bin/main.js', import.meta.url).href)
