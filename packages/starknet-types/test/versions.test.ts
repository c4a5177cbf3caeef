import { expect, test } from 'vitest'
import { pathOf, starknetVersions, versionOf, versionOfPath } from '../src/index.ts'

test.each([
  ['0.5.1', '0.5.1'],
  ['0.5.0', '0.5.1'],
  ['0.8', '0.8'],
  ['v0.8.1', '0.8'],
  ['0.10.0-rc.1+build', '0.10'],
])('a node that says %s speaks %s', (reported, version) => {
  expect(versionOf(reported)).toBe(version)
})

test.each(['0.08.1', '00.8', '0.4.0', '0.11.0', '1.8.0', '0.8.1.2', ' 0.8', '0.8.1-rc\n', '', '0', '__proto__'])(
  'a node that says %j speaks no version that is known',
  (reported) => {
    expect(versionOf(reported)).toBeUndefined()
  },
)

test('each version has one segment of a path, beside that of its patch releases', () => {
  for (const version of starknetVersions) expect(versionOfPath(pathOf(version))).toBe(version)
  expect(versionOfPath('v0_5_1')).toBe('0.5.1')
  for (const other of [
    'v0_08',
    'v00_8',
    'V0_8',
    'v0.8',
    'v0_8_',
    'v1_0',
    'v0_',
    'v0',
    '0_8',
    `v0_${'9'.repeat(400)}`,
  ]) {
    expect(versionOfPath(other), other).toBeUndefined()
  }
})
