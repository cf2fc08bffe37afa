// Reads Vitest's reports.
//   node .ci/report.js files REPORT            the files that failed, a line each
//   node .ci/report.js counts REPORT [AGAIN]   how many tests passed and failed, then what failed, a line each
// AGAIN is the report of a second run of the files that failed, and decides on them.
import { readFileSync } from 'node:fs'
import { relative } from 'node:path'

const [command, ...reports] = process.argv.slice(2)
const [first, again] = reports.map(
  (file) =>
    new Map(
      JSON.parse(readFileSync(file, 'utf8')).testResults.map((result) => [result.name, result]),
    ),
)

if (command === 'files') {
  for (const result of first.values()) if (failed(result)) console.log(relative('.', result.name))
} else {
  const decisive = [...first.values()].map((result) => again?.get(result.name) ?? result)
  const passed = decisive.flatMap((result) => namesOf(result, 'passed')).length
  const failures = decisive.flatMap(failuresOf)
  console.log(passed, failures.length)
  for (const name of failures) console.log(`failed: ${name}`)
  const stillFailed = new Set(failures)
  for (const name of [...first.values()].flatMap(failuresOf))
    if (!stillFailed.has(name)) console.log(`failed once, passed alone: ${name}`)
}

/** A file whose hooks failed, or that could not be loaded, has failed without a failed test. */
function failed(result) {
  return result.status !== 'passed'
}

function failuresOf(result) {
  const names = namesOf(result, 'failed')
  return failed(result) && names.length === 0 ? [relative('.', result.name)] : names
}

function namesOf(result, status) {
  return result.assertionResults
    .filter((test) => test.status === status)
    .map((test) => `${relative('.', result.name)}: ${test.fullName}`)
}
