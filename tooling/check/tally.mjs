// tally.mjs FOLDER TESTS CHECKS: adds up the reports of the tests and of the checks, given the codes they ended with.
// A test file that could not run, a report that is missing and an end with an error that no test shows count as failures.
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

const [folder, testsCode, checksCode] = process.argv.slice(2)
const read = (name) =>
  existsSync(join(folder, name)) ? JSON.parse(readFileSync(join(folder, name), 'utf8')) : undefined

function tests({ testResults = [] } = {}) {
  const count = { passed: 0, failed: 0, skipped: 0 }
  for (const { status, assertionResults } of testResults) {
    const failed = assertionResults.filter((test) => test.status === 'failed').length
    const passed = assertionResults.filter((test) => test.status === 'passed').length
    count.passed += passed
    count.skipped += assertionResults.length - passed - failed
    count.failed += status === 'failed' && failed === 0 ? 1 : failed
  }
  return count
}

const unexplained = (count, code) => (code !== '0' && count.failed === 0 ? 1 : 0)
const tested = tests(read('tests.json'))
const checked = read('checks.json') ?? { passed: 0, failed: 0 }
const passed = tested.passed + checked.passed
const failed = tested.failed + checked.failed + unexplained(tested, testsCode) + unexplained(checked, checksCode)

console.log(
  `tests: ${tested.passed} passed, ${tested.failed} failed, ${tested.skipped} skipped (exit code ${testsCode})`,
)
console.log(`checks: ${checked.passed} passed, ${checked.failed} failed (exit code ${checksCode})`)
console.log(`${passed} passed, ${failed} failed`)
process.exitCode = failed === 0 && passed > 0 ? 0 : 1
