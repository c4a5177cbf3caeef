import { type Block, evmMethods, type EvmSchema, type Hash, type Transaction } from '@wayleave/evm-types'
import { startDevNode } from '@wayleave/dev-node'
import { describe, expect, expectTypeOf, it, onTestFinished } from 'vitest'
import { type Client, createClient } from '../src/index.ts'
import { servePeer } from './helpers.ts'
import { answerTo, type PeerCall, serveCalls } from './peer.ts'

describe('the methods by name', () => {
  it('are those of the table, but for subscriptions', () => {
    const { eth, rollup } = createClient({ url: 'http://127.0.0.1:9' })
    const named = (prefix: string): string[] =>
      Object.keys(evmMethods)
        .filter((method) => method.startsWith(prefix) && evmMethods[method as 'eth_call'].effect !== 'session')
        .map((method) => method.slice(prefix.length))
    expect(Object.keys(eth)).toEqual(named('eth_'))
    expect(Object.keys(rollup)).toEqual([...named('rollup_'), ...named('optimism_')])
    expect(eth).toHaveProperty('getStorageAt')
    expect(rollup).toHaveProperty('syncStatus')
  })

  it('have the types of the table', () => {
    expectTypeOf<Parameters<Client['eth']['getBalance']>[0]>().toEqualTypeOf<EvmSchema['eth_getBalance']['params']>()
    expectTypeOf<ReturnType<Client['eth']['getBlockReceipts']>>().resolves.toEqualTypeOf<
      EvmSchema['eth_getBlockReceipts']['result']
    >()
    expectTypeOf<Parameters<Client['eth']['chainId']>['length']>().toEqualTypeOf<0 | 1>()
    expectTypeOf<Client['rollup']>().toHaveProperty('syncStatus')
    expectTypeOf<Client['eth']>().not.toHaveProperty('subscribe')
    expectTypeOf<Parameters<Client['request']>[0]>().toEqualTypeOf<
      Exclude<keyof EvmSchema, 'eth_subscribe' | 'eth_unsubscribe'>
    >()
  })

  it('give whole transactions or hashes, as they were asked for', () => {
    const check = async (full: boolean): Promise<void> => {
      const { eth, request } = createClient({ url: 'http://127.0.0.1:9' })
      const hash = `0x${'11'.repeat(32)}` as const
      expectTypeOf(await eth.getBlockByNumber(['latest', true])).toEqualTypeOf<Block<Transaction> | null>()
      expectTypeOf(await eth.getBlockByNumber(['latest', false])).toEqualTypeOf<Block<Hash> | null>()
      expectTypeOf(await eth.getBlockByNumber(['latest', full])).toEqualTypeOf<Block | null>()
      expectTypeOf(await eth.getBlockByHash([hash, true])).toEqualTypeOf<Block<Transaction> | null>()
      expectTypeOf(await request('eth_getBlockByNumber', ['latest', true])).toEqualTypeOf<Block<Transaction> | null>()
      expectTypeOf(await request('eth_getBlockByNumber', ['0x1', false])).toEqualTypeOf<Block<Hash> | null>()
      expectTypeOf(await request('eth_getBlockByHash', [hash, full])).toEqualTypeOf<Block | null>()
      expectTypeOf(await request('eth_getBalance', [hash, 'latest'])).toEqualTypeOf<
        EvmSchema['eth_getBalance']['result']
      >()
      const block = await eth.getBlockByNumber(['latest', true], { timeoutMs: 5 })
      expectTypeOf(block!.transactions[0]!.from).toEqualTypeOf<Transaction['from']>()
      // @ts-expect-error -- hashes have no sender
      void (await eth.getBlockByNumber(['latest', false]))!.transactions[0]!.from
      // @ts-expect-error -- the flag is missing
      void request('eth_getBlockByNumber', ['latest'])
      // @ts-expect-error -- a misspelt member
      void request('eth_call', [{ to: hash, gasprice: '0x1' }, 'latest'])
      // @ts-expect-error -- no method of the table
      void request('eth_getBlok', [])
    }
    expect(check).toBeTypeOf('function')
  })

  it('refuse a block whose transactions are not as they were asked for', async () => {
    const node = await startDevNode()
    onTestFinished(() => node.close())
    const real = createClient({ url: node.networks.dev.httpUrl })
    const [from] = await real.eth.accounts()
    const transactionHash = await real.eth.sendTransaction([{ from: from!, to: from! }])
    await expect.poll(() => real.eth.getTransactionReceipt([transactionHash])).not.toBeNull()
    const [whole, short] = [
      await real.eth.getBlockByNumber(['0x1', true]),
      await real.eth.getBlockByNumber(['0x1', false]),
    ]
    expect([whole!.transactions[0]!.hash, short!.transactions]).toEqual([transactionHash, [transactionHash]])

    const ofHashes = createClient({ url: (await servePeer(short)).url })
    const ofWhole = createClient({ url: (await servePeer(whole)).url })
    await expect(ofHashes.eth.getBlockByNumber(['0x1', true])).rejects.toMatchObject({
      code: 'invalid_response',
      message: `eth_getBlockByNumber result.transactions[0]: expected a transaction, got "${transactionHash}"`,
    })
    await expect(ofWhole.request('eth_getBlockByHash', [short!.hash!, false])).rejects.toMatchObject({
      message: 'eth_getBlockByHash result.transactions[0]: expected the hash of a transaction, got an object',
    })
    expect(await ofWhole.eth.getBlockByNumber(['0x1', true])).toEqual(whole)
  })

  it('send their method, their params, and none where they have none', async () => {
    const { url, seen } = await servePeer('0x1')
    const { eth } = createClient({ url })
    await eth.chainId()
    await eth.gasPrice({ timeoutMs: 1_000 })
    await eth.getBalance([`0x${'0'.repeat(40)}`, '0x1'], { timeoutMs: 1_000 })
    expect(seen.map(({ body }) => [body.method, body.params])).toEqual([
      ['eth_chainId', []],
      ['eth_gasPrice', []],
      ['eth_getBalance', [`0x${'0'.repeat(40)}`, '0x1']],
    ])
  })

  it('give up when their signal says so', async () => {
    const { url } = await serveCalls(() => {})
    const leaver = new AbortController()
    const asked = createClient({ url }).eth.chainId({ signal: leaver.signal })
    leaver.abort()
    await expect(asked).rejects.toMatchObject({ code: 'aborted' })
  })
})

describe('requestRaw', () => {
  it('loses no digit of the result, nor of params that are a text', async () => {
    const result = '{"n": 12345678901234567890, "x":1e400,"z":-0,"twin":1,"twin":2}'
    const bodies: string[] = []
    const { url } = await serveCalls((call, _nth, response, text) => {
      bodies.push(text)
      response.end(answerTo(call as PeerCall, result))
    })
    const client = createClient({ url })
    expect(await client.requestRaw('any_method', '[98765432109876543210]')).toBe(result)
    expect(await client.requestRaw('any_method', { by: 'name' })).toBe(result)
    expect(bodies[0]).toContain('"params":[98765432109876543210]')
    expect(bodies[1]).toContain('"params":{"by":"name"}')
  })

  it('refuses params that are no JSON, and a result that is none', async () => {
    const { url, posts } = await serveCalls((call, _nth, response) =>
      response.end(answerTo(call as PeerCall, '{"a" 1}')),
    )
    const client = createClient({ url })
    await expect(client.requestRaw('any_method', '[1')).rejects.toThrow(SyntaxError)
    expect(posts()).toBe(0)
    await expect(client.requestRaw('any_method')).rejects.toMatchObject({ code: 'invalid_response' })
  })
})
