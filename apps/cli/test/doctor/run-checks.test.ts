import { PassThrough } from 'node:stream'
import { FakeClock } from '@wayleave/jsonrpc-core/testing'
import { expect, it } from 'vitest'
import { checkLimits, checkVersions, type SystemFacts } from '../../src/doctor/check-system.ts'
import { type Check, ok } from '../../src/doctor/finding.ts'
import { printFinding } from '../../src/doctor/print-findings.ts'
import { runChecks } from '../../src/doctor/run-checks.ts'

const good: Check = { subject: 'good', run: async () => [ok('good', 'good', 'fine')] }

it('tells of a check that takes too long or throws, beside the others, and says how far it is', async () => {
  const clock = new FakeClock()
  let aborted = false
  const slow: Check = {
    subject: 'slow',
    run: (signal) => new Promise(() => signal.addEventListener('abort', () => (aborted = true))),
  }
  const broken: Check = {
    subject: 'broken',
    run: async () => {
      throw new Error('https://user:password@node.example')
    },
  }
  const reported: string[] = []
  const done = runChecks([slow, good, broken], {
    clock,
    timeoutMs: 9_000,
    onProgress: (count, open) => void reported.push(`${count} ${open.join()}`),
  })
  await new Promise(setImmediate)
  clock.advance(9_000)
  expect((await done).map(({ level, code, text }) => [level, code, text])).toEqual([
    ['fail', 'check_timeout', 'gave no result within 9 s'],
    ['ok', 'good', 'fine'],
    ['fail', 'check_failed', 'could not be checked: Error'],
  ])
  expect(aborted).toBe(true)
  expect([reported[0], reported.at(-2), reported.at(-1)]).toEqual(['0 slow,good,broken', '2 slow', '3 '])
})

it('escapes what could steer a terminal', () => {
  const finding = ok('upstream', 'upstream \u001B]0;owned\u0007', 'a\nb\u202E')
  const line = printFinding(finding, new PassThrough() as unknown as NodeJS.WriteStream)
  expect(line).toBe('ok    upstream \\u001b]0;owned\\u0007: a\\nb\\u202e\n')
})

const facts: SystemFacts = {
  nodeVersion: 'v24.1.0',
  wayleaveVersion: '1.0.0',
  memoryBytes: 2 ** 30,
  descriptors: 30_000,
}

it('tells an old Node, little memory, and few descriptors', async () => {
  const codesOf = async (given: Partial<SystemFacts>): Promise<readonly string[]> => {
    const all = { ...facts, ...given }
    const found = await runChecks([checkVersions(all), checkLimits({ networks: {} }, all)])
    return found.map(({ level, code }) => `${level} ${code}`)
  }
  expect(await codesOf({})).toEqual(['ok versions', 'ok limits'])
  expect(await codesOf({ nodeVersion: 'v22.20.0' })).toContain('fail node_version')
  expect(await codesOf({ memoryBytes: 2 ** 27 })).toContain('warn memory')
  expect(await codesOf({ descriptors: 1_024 })).toContain('warn descriptors')
  expect(await codesOf({ descriptors: undefined })).toContain('ok limits')
})
