import { expect, test } from 'vitest'
import { contractAddress, selector } from '../../src/hash/index.ts'
import { vectors } from './vectors.ts'

const deployed = vectors.filter(({ tx }) => tx.type === 'DEPLOY' || tx.type === 'DEPLOY_ACCOUNT')

test.each(deployed)('a contract stands where $title put it', ({ feeder }) => {
  const address = contractAddress({
    classHash: feeder['class_hash'] as string,
    salt: feeder['contract_address_salt'] as string,
    constructorCalldata: feeder['constructor_calldata'] as string[],
  })
  expect(address).toBe(feeder['contract_address'] ?? feeder['sender_address'])
})

test('what is no felt is refused by its name', () => {
  const of = { classHash: '0x1', salt: '0x2', constructorCalldata: [] }
  expect(() => contractAddress({ ...of, salt: '2' })).toThrow('salt: expected a felt')
  expect(() => contractAddress({ ...of, constructorCalldata: ['x'] })).toThrow(
    'constructor calldata[0]: expected a felt',
  )
  expect(() => contractAddress({ ...of, deployer: '' })).toThrow('deployer: expected a felt')
})

test.each([7, undefined, null, {}])('the selector of %j is not made up', (name) => {
  expect(() => selector(name as never)).toThrow('name: expected a text')
})
