import { type DevNode, startDevNode } from '@wayleave/dev-node'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Client, createClient, createProvider, RpcError, SchemaError } from '../src/index.ts'
import { apiKey, apiKeySecret, failure, type Gateway, servePeer, startGateway } from './helpers.ts'

const rich = '0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266'
const poor = '0x00000000000000000000000000000000c0ffee00'

describe('a client', () => {
  let gateway: Gateway
  let node: DevNode

  beforeAll(async () => {
    ;[gateway, node] = await Promise.all([startGateway(), startDevNode()])
  })

  afterAll(async () => {
    await Promise.all([gateway.close(), node.close()])
  })

  const kinds: readonly [string, () => Client][] = [
    ['a gateway over HTTP', () => createClient({ url: gateway.url, apiKey })],
    ['a gateway over HTTP, with a secret', () => createClient({ url: gateway.url, apiKey, apiKeySecret })],
    [
      'a gateway over WebSocket, with a secret',
      () => createClient({ url: `${gateway.url.replace('http', 'ws')}/ws/v3/${apiKey}`, apiKeySecret }),
    ],
    ['a node over HTTP', () => createClient({ url: node.networks.dev.httpUrl })],
    ['a node over WebSocket', () => createClient({ url: node.networks.dev.wsUrl })],
  ]

  describe.each(kinds)('of %s', (_kind, create) => {
    it('calls methods of the table by name, and through eth', async () => {
      await using client = create()
      expect(await client.request('eth_chainId', [])).toBe('0x7a69')
      const hash = await client.requestUnchecked<`0x${string}`>('eth_sendTransaction', [
        { from: rich, to: poor, value: '0x1' },
      ])
      // Anvil answers before it mines, and calls a transaction pending for a moment after.
      let transaction = await client.eth.getTransactionByHash([hash])
      while (transaction?.blockHash == null) {
        await sleep(5)
        transaction = await client.eth.getTransactionByHash([hash])
      }
      expect(transaction).toMatchObject({ hash, to: poor, value: '0x1' })
      const { blockHash } = transaction
      expect(await client.eth.getTransactionByBlockHashAndIndex([blockHash, '0x0'])).toMatchObject({ hash })
      expect(await client.eth.getBlockReceipts([{ blockHash }])).toMatchObject([
        { transactionHash: hash, status: '0x1' },
      ])
      expect(await client.eth.getUncleByBlockNumberAndIndex(['latest', '0x0'])).toBeNull()
      expect(await client.eth.getStorageAt([poor, '0x0', 'latest'])).toBe(`0x${'0'.repeat(64)}`)
      expect(Number(await client.eth.estimateGas([{ from: rich, to: poor, value: '0x1' }]))).toBeGreaterThanOrEqual(
        21_000,
      )
    })

    it('rejects with the code and words of the node', async () => {
      await using client = create()
      const thrown = (await failure(client.request('eth_sendRawTransaction', ['0x00']))) as RpcError
      expect(thrown).toBeInstanceOf(RpcError)
      expect(thrown).toMatchObject({ code: 'rpc', rpc: { code: -32602 } })
      expect(thrown.message).toBe(`eth_sendRawTransaction: ${thrown.rpc!.message} (-32602)`)
    })
  })

  it('reaches another network of the gateway, and its rollup methods', async () => {
    await using client = createClient({ url: gateway.url, apiKey, network: 'rollup-dev' })
    expect(await client.request('eth_chainId', [])).toBe('0x385')
    const index = async (): Promise<number> => {
      const info = await client.rollup.getInfo()
      return 'rollupContext' in info ? info.rollupContext.index : NaN
    }
    const before = await index()
    await client.requestUnchecked('evm_mine')
    expect(await index()).toBe(before + 1)
  })

  it.each([
    ['a gateway', () => createClient({ url: gateway.url, apiKey, apiKeySecret })],
    ['a node', () => createClient({ url: node.networks.dev.wsUrl })],
  ])('hears new heads of %s until it unsubscribes', async (_kind, create) => {
    await using client = create()
    const heads: { number: string }[] = []
    const ends: unknown[] = []
    const subscription = await client.subscribe(['newHeads'], {
      onEvent: (head) => heads.push(head as { number: string }),
      onEnd: (why) => ends.push(why),
    })
    const mine = (): Promise<unknown> => client.requestUnchecked('evm_mine')
    await mine()
    const number = await client.request('eth_blockNumber', [])
    await expect.poll(() => heads.map((head) => head.number)).toEqual([number])
    subscription.unsubscribe()
    expect(ends).toEqual([undefined])
    await mine()
    await mine()
    expect(heads).toHaveLength(1)
  })

  it('is an EIP-1193 provider through its handler, subscriptions too', async () => {
    await using client = createClient({ url: gateway.url, apiKey })
    const provider = createProvider(client.handler)
    expect(await provider.request({ method: 'eth_chainId' })).toBe('0x7a69')
    const messages: unknown[] = []
    provider.on('message', (message) => messages.push(message))
    const subscription = await provider.request({ method: 'eth_subscribe', params: ['newHeads'] })
    await client.requestUnchecked('evm_mine')
    await expect.poll(() => messages).toMatchObject([{ type: 'eth_subscription', data: { subscription } }])
    expect(await provider.request({ method: 'eth_unsubscribe', params: [subscription] })).toBe(true)
    await client.requestUnchecked('evm_mine')
    await client.requestUnchecked('evm_mine')
    expect(messages).toHaveLength(1)
  })

  it('tells the subscriber when it closes, which is no error', async () => {
    const client = createClient({ url: gateway.url, apiKey })
    const ends: unknown[] = []
    await client.subscribe(['newHeads'], { onEvent: () => {}, onEnd: (why) => ends.push(why) })
    await client.close()
    expect(ends).toEqual([undefined])
  })

  it('refuses to subscribe where it has no WebSocket, and sends nothing', async () => {
    const { url, seen } = await servePeer('0x1')
    const thrown = await failure(createClient({ url }).subscribe(['newHeads'], { onEvent: () => {} }))
    expect(thrown).toMatchObject({ name: 'RpcError', code: 'unavailable', delivery: 'not_sent' })
    expect(thrown.message).toContain('needs a WebSocket')
    expect(seen).toEqual([])
  })
})

describe('the checks of a client', () => {
  it('refuse params with the path of what is wrong, and send nothing', async () => {
    const { url, seen } = await servePeer('0x1')
    const client = createClient({ url })
    const calls: readonly [Promise<unknown>, string, string][] = [
      [
        client.request('eth_getBalance', ['0x12', 'latest']),
        '[0]',
        'eth_getBalance params[0]: expected a 20-byte address',
      ],
      [client.eth.getStorageAt([rich, '0x0', '0x01']), '[2]', 'eth_getStorageAt params[2]: expected'],
      [
        client.eth.estimateGas([{ to: rich, value: '1' as '0x1' }]),
        '[0].value',
        'eth_estimateGas params[0].value: expected',
      ],
      [client.request('eth_chainId', ['extra'] as never), '', 'eth_chainId params: expected'],
      [client.subscribe(['newHeadz'] as never, { onEvent: () => {} }), '', 'eth_subscribe params'],
    ]
    for (const [call, path, words] of calls) {
      const thrown = (await failure(call)) as SchemaError
      expect(thrown).toBeInstanceOf(SchemaError)
      if (path !== '') expect(thrown.issue.path).toBe(path)
      expect(thrown.message).toContain(words)
    }
    expect(seen).toEqual([])
  })

  it('refuse a result that is none, which requestUnchecked lets pass', async () => {
    const { url, seen } = await servePeer('123')
    const client = createClient({ url })
    const thrown = (await failure(client.request('eth_blockNumber', []))) as RpcError
    expect(thrown).toMatchObject({ name: 'RpcError', code: 'invalid_response' })
    expect(thrown.message).toContain('eth_blockNumber result: expected a hex quantity')
    expect(thrown.cause).toBeInstanceOf(SchemaError)
    expect(await client.requestUnchecked('eth_blockNumber')).toBe('123')
    expect(seen.map(({ body }) => body.method)).toEqual(['eth_blockNumber', 'eth_blockNumber'])
  })

  it('leave requestUnchecked alone: any method, any params, none at all', async () => {
    const { url, seen } = await servePeer({ any: 'thing' })
    const client = createClient({ url })
    expect(await client.requestUnchecked('made_up', { by: 'name' })).toEqual({ any: 'thing' })
    await client.requestUnchecked('made_up')
    expect(seen.map(({ body }) => body.params ?? [])).toEqual([{ by: 'name' }, []])
  })
})

describe('what a client sends', () => {
  it('is the key in the path and the secret in the header', async () => {
    const { url, seen } = await servePeer('0x1')
    await createClient({ url: `${url}/below`, apiKey: 'k', apiKeySecret: 's', network: 'n' }).request('eth_chainId', [])
    await createClient({ url: url.replace('//', '//user:pass@') }).request('eth_chainId', [])
    expect(seen).toMatchObject([
      { path: '/below/n/v3/k', authorization: `Basic ${btoa(':s')}` },
      { path: '/', authorization: `Basic ${btoa('user:pass')}` },
    ])
  })
})
