import { evmMethods } from '@wayleave/evm-types'
import { describe, expect, it } from 'vitest'
import { createClient } from '../src/index.ts'
import { failure, servePeer } from './helpers.ts'

const address = '0x7dcd17433742f4c0ca53122ab541d0ba67fc27df'

describe('params that are no array', () => {
  it.each([
    [address, `eth_getBalance params: expected an array [address, block?], got "${address}"`],
    [{ address }, 'eth_getBalance params: expected an array [address, block?], got an object'],
    [undefined, 'eth_getBalance params: expected an array [address, block?], got nothing'],
    [null, 'eth_getBalance params: expected an array [address, block?], got null'],
  ])('are refused as that: %j', async (params, message) => {
    const { url, seen } = await servePeer('0x0')
    const client = createClient({ url })
    const call = client.request('eth_getBalance', params as never)
    expect(await failure(call)).toMatchObject({ name: 'SchemaError', message })
    expect(seen).toEqual([])
  })

  it('are an empty array where a method takes none', async () => {
    const { url, seen } = await servePeer('0x1')
    const client = createClient({ url })
    await client.eth.blockNumber()
    await client.request('eth_chainId', undefined as never)
    await client.eth.gasPrice({ timeoutMs: 5_000 })
    expect(seen.map(({ body }) => body.params)).toEqual([[], [], []])
  })
})

describe('params one by one', () => {
  it.each([
    [[address], [address, 'latest']],
    [
      [address, '0x1'],
      [address, '0x1'],
    ],
    [
      [address, undefined, { timeoutMs: 5_000 }],
      [address, 'latest'],
    ],
    [
      [address, '0x1', { timeoutMs: 5_000 }],
      [address, '0x1'],
    ],
    [
      [[address, '0x1'], { timeoutMs: 5_000 }],
      [address, '0x1'],
    ],
  ])('getBalance of %j sends %j', async (given, sent) => {
    const { url, seen } = await servePeer('0x0')
    await (createClient({ url }).eth.getBalance as (...args: unknown[]) => Promise<unknown>)(...given)
    expect(seen.map(({ body }) => body.params)).toEqual([sent])
  })

  it('are told from a list of them: no method takes an array first', () => {
    for (const [method, { params, paramNames = [] }] of Object.entries(evmMethods)) {
      if (/^(?:eth|rollup|optimism)_/.test(method) && paramNames.length > 0)
        expect([method, params.check([[]], '')?.path]).toEqual([method, '[0]'])
    }
  })

  it('are options of the call only behind the last one', async () => {
    const { url, seen } = await servePeer('0x0')
    const call = createClient({ url }).eth.getBalance(address, { timeoutMs: 1 } as never)
    expect((await failure(call)).message).toMatch(/^eth_getBalance params\[1\]/)
    expect(seen).toEqual([])
  })
})

describe('a block that is left out', () => {
  it.each([
    ['eth_getBalance', [address], [address, 'latest']],
    ['eth_getBalance', [address, undefined], [address, 'latest']],
    ['eth_getBalance', [address, '0x1'], [address, '0x1']],
    ['eth_getStorageAt', [address, '0x0'], [address, '0x0', 'latest']],
    ['eth_getTransactionCount', [address], [address, 'latest']],
    ['eth_call', [{ to: address }], [{ to: address }, 'latest']],
    ['eth_call', [{ to: address }, undefined, {}], [{ to: address }, 'latest', {}]],
    // Nodes estimate in the pending block, or in the latest one.
    ['eth_estimateGas', [{ to: address }], [{ to: address }]],
    ['eth_gasPrice', [], []],
  ] as const)('of %s %j is asked for as %j', async (method, params, sent) => {
    const { url, seen } = await servePeer(method === 'eth_call' ? '0x' : '0x0')
    await createClient({ url }).request(method, params as never)
    expect(seen.map(({ body }) => body.params)).toEqual([sent])
  })

  it('is missing all the same where the param before it is', async () => {
    const { url, seen } = await servePeer('0x0')
    const call = createClient({ url }).request('eth_getStorageAt', [address] as never)
    expect((await failure(call)).message).toMatch(/^eth_getStorageAt params\[1\]: expected .*, got nothing$/)
    expect(seen).toEqual([])
  })

  it('stays out of a call that is not checked', async () => {
    const { url, seen } = await servePeer('0x0')
    await createClient({ url }).requestUnchecked('eth_getBalance', [address])
    expect(seen.map(({ body }) => body.params)).toEqual([[address]])
  })
})
