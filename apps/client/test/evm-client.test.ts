import { verify } from '@wayleave/evm-verify'
import { afterEach, describe, expect, it } from 'vitest'
import { createClient, createEvmClient, type EvmClient, type EvmClientOptions, type Gap } from '../src/index.ts'
import { fetchMissed } from '../src/events/index.ts'
import { serveChain } from './events/chain-server.ts'
import { servePeer } from './helpers.ts'

const open: EvmClient[] = []
afterEach(async () => {
  for (const client of open.splice(0)) await client.close()
})

function create(options: EvmClientOptions): EvmClient {
  const client = createEvmClient(options)
  open.push(client)
  return client
}

describe('createEvmClient', () => {
  it('has what a client has for EVM nodes, and no other API', async () => {
    const { url, seen } = await servePeer('0x1')
    const client = create({ url })
    expect(await client.eth.chainId()).toBe('0x1')
    expect(await client.request('eth_blockNumber', [])).toBe('0x1')
    expect(seen.map(({ body }) => body.method)).toEqual(['eth_chainId', 'eth_blockNumber'])
    const { gas, ipfs, starknet, ...same } = createClient({ url })
    expect([gas, ipfs, starknet]).not.toContain(undefined)
    expect(Object.keys(client)).toEqual(Object.keys(same))
    expect(Object.keys(client.eth)).toEqual(Object.keys(same.eth))
  })

  it('takes a middleware as verify, and refuses a level, which would load code', async () => {
    const hash = `0x${'11'.repeat(32)}` as const
    const { url } = await servePeer({ ...transaction, hash: `0x${'22'.repeat(32)}` })
    const client = create({ url, verify: verify({ require: 'consistent' }) })
    await expect(client.eth.getTransactionByHash([hash])).rejects.toMatchObject({ code: 'invalid_response' })
    expect(() => create({ url, verify: 'proven' as never })).toThrow(
      'verify: createEvmClient takes a middleware: verify({ require: … }) of @wayleave/evm-verify',
    )
  })

  it('refuses options that only other APIs have', () => {
    const options = { url: 'http://127.0.0.1:9', gasUrl: 'http://127.0.0.1:9' }
    expect(() => create(options)).toThrow(/^createEvmClient: there is no option "gasUrl"/)
  })

  it('knows no method of Starknet: it is a write, which is not repeated', async () => {
    const { url, seen } = await servePeer('0x1')
    const client = create({ url })
    await Promise.all([client.requestUnchecked('starknet_chainId'), client.requestUnchecked('starknet_chainId')])
    expect(seen).toHaveLength(2)
  })
})

const transaction = {
  blockHash: null,
  blockNumber: null,
  from: `0x${'33'.repeat(20)}`,
  gas: '0x5208',
  gasPrice: '0x1',
  input: '0x',
  nonce: '0x0',
  to: `0x${'44'.repeat(20)}`,
  transactionIndex: null,
  value: '0x1',
  type: '0x0',
  v: '0x1b',
  r: '0x1',
  s: '0x1',
}

/** The heads and gaps that a client is told, in order. */
async function watch(client: EvmClient): Promise<unknown[]> {
  const reported: unknown[] = []
  await client.subscribe(['newHeads'], {
    onEvent: (head) => reported.push((head as { readonly number: string }).number),
    onGap: ({ reason }: Gap) => reported.push(reason),
  })
  return reported
}

describe('resubscribe of createEvmClient', () => {
  it('reopens, and tells a gap', async () => {
    const server = await serveChain()
    const reported = await watch(create({ url: server.url }))
    server.cut()
    server.mine()
    await expect.poll(() => server.subscriptions.length).toBe(2)
    server.mine()
    await expect.poll(() => reported).toEqual([expect.any(String), '0x6'])
  })

  it('fetches what was missed where it has fetchMissed', async () => {
    const server = await serveChain()
    const reported = await watch(create({ url: server.url, resubscribe: fetchMissed }))
    server.cut()
    server.mine()
    server.mine()
    await expect.poll(() => reported).toEqual(['0x5', '0x6'])
  })

  it('refuses a place to begin without fetchMissed, as a node may ignore it', async () => {
    const server = await serveChain()
    const client = create({ url: server.url })
    const refusal = 'eth_subscribe: fromBlock and fromHash need resubscribe: fetchMissed of @wayleave/client/events'
    for (const params of [
      ['newHeads', { fromBlock: '0x0' }],
      ['logs', { fromHash: `0x${'11'.repeat(32)}` }],
    ] as const)
      await expect(client.events(params as never)).rejects.toMatchObject({ message: refusal, delivery: 'not_sent' })
    expect(server.subscriptions).toEqual([])
  })

  it('ends with a drop where it is false', async () => {
    const server = await serveChain()
    const ends: unknown[] = []
    const client = create({ url: server.url, resubscribe: false })
    await client.subscribe(['newHeads'], { onEvent: () => {}, onEnd: (why) => ends.push(why) })
    server.cut()
    await expect.poll(() => ends).toEqual([expect.objectContaining({ code: 'disconnected' })])
  })
})
