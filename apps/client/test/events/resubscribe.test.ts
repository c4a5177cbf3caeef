import { afterEach, describe, expect, it } from 'vitest'
import { type Client, type ClientOptions, createClient, type Gap } from '../../src/index.ts'
import { fetchMissed } from '../../src/events/index.ts'
import { serveChain } from './chain-server.ts'

const open: Client[] = []
afterEach(async () => {
  for (const client of open.splice(0)) await client.close()
})

function create(options: ClientOptions): Client {
  const client = createClient(options)
  open.push(client)
  return client
}

/** The heads and gaps that a client is told, in order. */
async function watch(client: Client): Promise<unknown[]> {
  const reported: unknown[] = []
  await client.subscribe(['newHeads'], {
    onEvent: (head) => reported.push((head as { readonly number: string }).number),
    onGap: ({ reason }: Gap) => reported.push(reason),
  })
  return reported
}

describe('resubscribe', () => {
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
