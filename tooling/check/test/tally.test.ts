import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, it } from 'vitest'

const tally = fileURLToPath(new URL('../tally.mjs', import.meta.url))
const failedFiles = fileURLToPath(new URL('../failed-files.mjs', import.meta.url))
const failing = { file: 'a.test.ts', passed: 4, failed: 1, skipped: 0 }
const green = { passed: 10, failed: 0, skipped: 1, outside: 0, failedFiles: [] as object[] }
const red = { ...green, failed: 1, failedFiles: [failing] }
const alone = { passed: 5, failed: 0, skipped: 0, outside: 0, failedFiles: [] as object[] }
const checks = { passed: 3, failed: 0 }

type Reports = Readonly<Record<string, object>>

/** The last line of the tally of these reports, with its exit code. */
function tallyOf(reports: Reports, codes: readonly number[]): string {
  const folder = mkdtempSync(join(tmpdir(), 'tally-'))
  try {
    for (const [name, report] of Object.entries(reports))
      writeFileSync(join(folder, `${name}.json`), JSON.stringify(report))
    const { stdout, status } = spawnSync(process.execPath, [tally, folder, ...codes.map(String)], { encoding: 'utf8' })
    return `${stdout.trim().split('\n').at(-1)}, exit ${status}`
  } finally {
    rmSync(folder, { recursive: true })
  }
}

it.each<[what: string, reports: Reports, codes: readonly number[], expected: string]>([
  ['everything passed', { tests: green, checks }, [0, 0, 0], '13 passed, 0 failed, exit 0'],
  [
    'a test failed alone, too',
    { tests: red, checks, again: { ...alone, passed: 4, failed: 1, failedFiles: [failing] } },
    [1, 0, 1],
    '13 passed, 1 failed, exit 1',
  ],
  ['a test passed alone', { tests: red, checks, again: alone }, [1, 0, 0], '14 passed, 0 failed, exit 0'],
  ['nothing was run again', { tests: red, checks }, [1, 0, 0], '13 passed, 1 failed, exit 1'],
  [
    'the second run skipped the file',
    { tests: red, checks, again: { ...alone, passed: 0, skipped: 5 } },
    [1, 0, 0],
    '13 passed, 1 failed, exit 1',
  ],
  [
    'the second run was not whole',
    { tests: red, checks, again: { ...alone, passed: 1 } },
    [1, 0, 0],
    '13 passed, 1 failed, exit 1',
  ],
  [
    'the second run failed outside of tests',
    { tests: red, checks, again: { ...alone, outside: 2 } },
    [1, 0, 1],
    '14 passed, 2 failed, exit 1',
  ],
  [
    'the second run failed without a word',
    { tests: red, checks, again: alone },
    [1, 0, 1],
    '14 passed, 1 failed, exit 1',
  ],
  [
    'something failed outside of tests',
    { tests: { ...green, outside: 66 }, checks },
    [1, 0, 0],
    '13 passed, 66 failed, exit 1',
  ],
  ['the tests failed without a word', { tests: green, checks }, [1, 0, 0], '13 passed, 1 failed, exit 1'],
  ['there is no report', {}, [1, 1, 0], '0 passed, 2 failed, exit 1'],
])('the tally fails unless all passed: %s', (_what, reports, codes, expected) => {
  expect(tallyOf(reports, codes)).toBe(expected)
})

it.each([
  ['none', green, ''],
  ['one', red, 'a.test.ts'],
  ['none where something failed outside of tests', { ...red, outside: 1 }, ''],
  ['none of more than three', { ...red, failedFiles: [failing, failing, failing, failing] }, ''],
])('the files to run again are %s', (_which, report, expected) => {
  const folder = mkdtempSync(join(tmpdir(), 'failed-files-'))
  try {
    const path = join(folder, 'tests.json')
    writeFileSync(path, JSON.stringify(report))
    expect(spawnSync(process.execPath, [failedFiles, path], { encoding: 'utf8' }).stdout.trim()).toBe(expected)
  } finally {
    rmSync(folder, { recursive: true })
  }
})
