import { expect, test } from 'vitest'
import { sierraClassHash } from '../../src/hash/index.ts'

const entryPoints = { EXTERNAL: [{ selector: '0x1', function_idx: 0 }], L1_HANDLER: [], CONSTRUCTOR: [] }
const sierra = {
  sierra_program: ['0x1'],
  contract_class_version: '0.1.0',
  entry_points_by_type: entryPoints,
  abi: '[]',
}

test('a class without an interface hashes as with an empty one, and every space of the interface counts', () => {
  const { abi: _, ...without } = sierra
  expect(sierraClassHash(without)).toBe(sierraClassHash({ ...sierra, abi: '' }))
  expect(sierraClassHash({ ...sierra, abi: '[ ]' })).not.toBe(sierraClassHash(sierra))
})

test('what is no Sierra class is refused by the name of its member', () => {
  const broken = (change: object) => () => sierraClassHash({ ...sierra, ...change })
  expect(broken({ abi: [] })).toThrow('abi: expected')
  expect(broken({ sierra_program: undefined })).toThrow('sierra_program: expected')
  expect(broken({ contract_class_version: undefined })).toThrow('contract_class_version: expected')
  expect(broken({ entry_points_by_type: undefined })).toThrow('entry points EXTERNAL: expected')
  const external = (function_idx: unknown) => ({ EXTERNAL: [{ selector: '0x1', function_idx }] })
  for (const index of [-1, 0.5, '0', undefined, 2 ** 53]) {
    expect(broken({ entry_points_by_type: { ...entryPoints, ...external(index) } })).toThrow('function_idx: expected')
  }
})
