// Builds the package in the current folder: `dist` has ES modules, `cjs` the same for CommonJS.
// docs/decisions/0051-two-module-formats.md has the reasons.
import { spawnSync } from 'node:child_process'
import { cpSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { basename, dirname, join } from 'node:path'
import { transformSync } from 'esbuild'

const { exports: entries } = JSON.parse(readFileSync('package.json', 'utf8'))
rmSync('cjs', { recursive: true, force: true })

const typescript = createRequire(`${process.cwd()}/`).resolve('typescript/package.json')
const compiler = [join(dirname(typescript), 'bin/tsc'), '-b', 'tsconfig.build.json']
const { status } = spawnSync(process.execPath, compiler, { stdio: 'inherit' })
if (status !== 0) process.exit(1)
for (const file of process.argv.slice(2)) cpSync(file, join('dist', basename(file)))

mkdirSync('cjs')
writeFileSync('cjs/package.json', '{ "type": "commonjs" }\n')
const done = new Set()
for (const { import: entry } of Object.values(entries)) {
  if (!entry) continue
  convert(entry.default)
  convert(entry.types)
}

/** @param {string} file */
function convert(file) {
  if (done.has(file)) return
  done.add(file)
  const text = readFileSync(file, 'utf8')
  const target = file.replace('dist/', 'cjs/')
  mkdirSync(dirname(target), { recursive: true })
  writeFileSync(target, file.endsWith('.js') ? toCommonJs(text) : text)
  for (const [, specifier = ''] of text.matchAll(/(?:from |import\()['"](\.[^'"]+)['"]/g)) {
    const next = `./${join(dirname(file), specifier)}`
    convert(file.endsWith('.js') ? next : next.replace(/\.[jt]s$/, '.d.ts'))
  }
}

/** @param {string} text */
function toCommonJs(text) {
  return transformSync(text, {
    format: 'cjs',
    platform: 'node',
    target: 'es2023',
    define: { 'import.meta.url': 'importMetaUrl' },
    ...(text.includes('import.meta.url') && {
      banner: "const importMetaUrl = require('node:url').pathToFileURL(__filename)",
    }),
  }).code
}
