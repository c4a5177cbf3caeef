// tally.mjs FOLDER TESTS CHECKS [AGAIN]: adds up the reports of the tests and of the checks, given the codes they ended with.
// A report that is missing and an end with an error that no test shows count as failures. Files that failed beside others and were run
// again alone are named, and count as they ended then.
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

const [folder, testsCode, checksCode, againCode] = process.argv.slice(2)
const read = (name) =>
  existsSync(join(folder, name)) ? JSON.parse(readFileSync(join(folder, name), 'utf8')) : undefined

const states = ['passed', 'failed', 'skipped']
const sumOf = (counts, state) => counts.reduce((sum, count) => sum + count[state], 0)
const all = (count) => count.passed + count.failed + count.skipped

/** The counts of the tests, where those of the files that were run again stand for the first ones. */
function testCounts(first, again) {
  const failedFiles = first.failedFiles
  if (again === undefined) return first
  // A file that is not run whole, or skips more, shows nothing.
  const isWhole =
    all(again) >=
    sumOf(
      failedFiles.map((file) => ({ all: all(file) })),
      'all',
    )
  if (!isWhole || again.skipped > sumOf(failedFiles, 'skipped')) return first
  const stillFail = new Set(again.failedFiles.map(({ file }) => file))
  for (const { file, failed } of failedFiles) {
    const ending = stillFail.has(file) ? 'it fails alone, too' : 'it passes alone'
    console.log(`${file}: ${failed} failed beside other tests; ${ending}`)
  }
  const counts = states.map((state) => [state, first[state] - sumOf(failedFiles, state) + again[state]])
  const outside = first.outside + again.outside + unexplained(again.failed + again.outside, againCode)
  return { ...Object.fromEntries(counts), outside }
}

const unexplained = (failed, code) => (code !== '0' && failed === 0 ? 1 : 0)
const first = read('tests.json') ?? { passed: 0, failed: 0, skipped: 0, outside: 0, failedFiles: [] }
const tests = testCounts(first, read('again.json'))
const checks = read('checks.json') ?? { passed: 0, failed: 0 }
const passed = tests.passed + checks.passed
const failed =
  tests.failed +
  tests.outside +
  checks.failed +
  unexplained(first.failed + first.outside, testsCode) +
  unexplained(checks.failed, checksCode)

console.log(
  `tests: ${tests.passed} passed, ${tests.failed} failed, ${tests.skipped} skipped, ${tests.outside} errors outside of tests (exit code ${testsCode})`,
)
console.log(`checks: ${checks.passed} passed, ${checks.failed} failed (exit code ${checksCode})`)
console.log(`${passed} passed, ${failed} failed`)
process.exitCode = failed === 0 && passed > 0 ? 0 : 1
