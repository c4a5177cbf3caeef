import { starknetMethods, type StarknetSchema, type StarknetVersion, starknetVersions } from '@wayleave/starknet-types'
import { describe, expect, expectTypeOf, it } from 'vitest'
import { createClient } from '../../src/index.ts'
import { starknetEffect } from '../../src/starknet/starknet-effect.ts'
import * as starknetEntry from '../../src/starknet/index.ts'
import { starknet, type StarknetClient } from '../../src/starknet/index.ts'

const url = 'http://127.0.0.1:9'

type Names<V extends StarknetVersion> = keyof StarknetClient<V>

describe('the methods of client.starknet', () => {
  it('are those of the table of each version, but for subscriptions', () => {
    for (const version of starknetVersions) {
      for (const [method, { effect }] of Object.entries(starknetMethods[version])) {
        expect([version, method, starknetEffect(method)]).toEqual([
          version,
          method,
          effect === 'session' ? undefined : effect,
        ])
      }
    }
    expect(createClient({ url, apis: { starknet: starknet() } }).starknet.getNonce).toBeTypeOf('function')
  })

  it('are nothing else: no promise, no JSON, no misspelt name', () => {
    const methods = createClient({ url, apis: { starknet: starknet() } }).starknet as unknown as Record<string, unknown>
    for (const name of ['then', 'toJSON', 'subscribeNewHead', 'estimatFee', 'constructor']) {
      expect([name, methods[name]]).toEqual([name, undefined])
    }
    expect(JSON.stringify({ starknet: methods })).toBe('{"starknet":{}}')
  })

  it('are typed by the version of the client', () => {
    expectTypeOf<'getStorageProof'>().not.toExtend<Names<'0.5.1'>>()
    expectTypeOf<'getStorageProof' | 'getCompiledCasm'>().toExtend<Names<'0.8'>>()
    expectTypeOf<'subscribeNewHeads' | 'unsubscribe'>().not.toExtend<Names<'0.8'>>()
    expectTypeOf<Parameters<StarknetClient<'0.8'>['estimateFee']>[0]>().toEqualTypeOf<
      StarknetSchema<'0.8'>['starknet_estimateFee']['params']
    >()
    expectTypeOf<ReturnType<StarknetClient['getTransactionReceipt']>>().resolves.toEqualTypeOf<
      StarknetSchema<'0.5.1'>['starknet_getTransactionReceipt']['result']
    >()
    expectTypeOf<Parameters<StarknetClient['blockNumber']>['length']>().toEqualTypeOf<0 | 1>()
  })

  it('do not compile where they are unknown or their params wrong', () => {
    const check = async (): Promise<void> => {
      const five = createClient({ url, apis: { starknet: starknet() } }).starknet
      const nine = createClient({ url, apis: { starknet: starknet({ version: '0.9' }) } }).starknet
      await five.getNonce({ block_id: 'pending', contract_address: '0x1' })
      // @ts-expect-error -- 0.9 has no such tag
      await nine.getNonce({ block_id: 'pending', contract_address: '0x1' })
      // @ts-expect-error -- an address is missing
      await five.getNonce({ block_id: 'latest' })
      // @ts-expect-error -- no method has this name
      await five.getNonze({ block_id: 'latest', contract_address: '0x1' })
      // @ts-expect-error -- a method of 0.8
      await five.getStorageProof({ block_id: 'latest' })
      await nine.getStorageProof({ block_id: 'latest' })
      // @ts-expect-error -- 0.9 wants simulation_flags
      await nine.estimateFee({ request: [], block_id: 'latest' })
      // @ts-expect-error -- there is no such version
      starknet({ version: '0.4' })
    }
    expect(check).toBeTypeOf('function')
  })
})

describe('the version of starknet', () => {
  it.each([
    [undefined, ''],
    ['0.5.1', '/rpc/v0_5'],
    ['0.8', '/rpc/v0_8'],
    ['0.10', '/rpc/v0_10'],
  ] as const)('%s adds %j to the paths of a gateway', (version, path) => {
    expect(starknet({ ...(version && { version }) }).path).toBe(path)
  })

  it.each(['0.4', '0.8.1', '0.11', 'v0_8', '0.5', ''])('%j is refused', (version) => {
    expect(() => starknet({ version: version as '0.8' })).toThrow('starknet: version: expected 0.5.1, or 0.6 to 0.10')
  })
})

describe('@wayleave/client/starknet', () => {
  it('has what an answer takes to be read', () => {
    expect(starknetEntry.decodeShortString('0x534e5f4d41494e')).toBe('SN_MAIN')
    expect(starknetEntry.isStarknetError({ code: 20, message: 'Contract not found' }, 20)).toBe(true)
    expect(starknetEntry.selector('transfer')).toBe('0x83afd3f4caedc6eebf44246fe54e38c95e3179a5ec9ea81740eca5b482d12e')
  })
})
