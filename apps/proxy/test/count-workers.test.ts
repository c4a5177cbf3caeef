import { expect, it } from 'vitest'
import { countWorkers, readWorkers } from '../src/count-workers.ts'

it.each([
  ['1', 1],
  ['64', 64],
  ['auto', 'auto'],
  ['0', undefined],
  ['65', undefined],
  ['1.5', undefined],
  ['-1', undefined],
  ['1e1', undefined],
  ['', undefined],
  ['all', undefined],
])('reads --workers %s', (text, wanted) => {
  expect(readWorkers(text)).toBe(wanted)
})

it('takes a number as it is, and of auto at least one process; one where several cannot serve, which it tells', () => {
  const reported: string[] = []
  const config = { networks: {} }
  expect(countWorkers(5, config, (why) => reported.push(why))).toBe(5)
  expect(countWorkers('auto', config, (why) => reported.push(why))).toBeGreaterThanOrEqual(1)
  const policy = { networks: { one: { policy: () => [] } } } as never
  expect(countWorkers('auto', policy, (why) => reported.push(why))).toBe(1)
})
