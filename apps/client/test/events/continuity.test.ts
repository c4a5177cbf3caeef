// Subscriptions whose connection drops: each event is told once, whatever the chain does meanwhile.
import fc from 'fast-check'
import { afterEach, describe, expect, it } from 'vitest'
import { fetchMissed } from '../../src/events/index.ts'
import { createClient, type Gap } from '../../src/index.ts'
import { type ChainServer, type Holes, serveChain, type ServerKind } from './chain-server.ts'
import { foldHeads, foldLogs, foldReceipts } from './fold.ts'

const open: { close(): Promise<void> }[] = []
afterEach(async () => {
  for (const one of open.splice(0)) await one.close()
})

interface Watched {
  /** The first reason why what was told is wrong. */
  failure(): unknown
  readonly gaps: Gap[]
  heads(): string[]
  logs(): string[]
  receipts(): string[]
}

/** A client that follows heads, logs and receipts of the server. */
async function watch(server: ChainServer): Promise<Watched> {
  const client = createClient({ url: server.url, resubscribe: fetchMissed })
  open.push(client)
  const gaps: Gap[] = []
  let failure: unknown
  const heads = foldHeads(server.chain.at(-1)!, server.chain.slice(0, -1))
  const logs = foldLogs()
  const receipts = foldReceipts()
  const options = { onGap: (gap: Gap) => void gaps.push(gap) }
  const read = async <T>(events: AsyncIterable<T>, add: (event: T) => void): Promise<void> => {
    try {
      for await (const event of events) add(event)
    } catch (thrown) {
      failure ??= thrown
    }
  }
  void read(await client.events(['newHeads'], options), heads.add)
  void read(await client.events(['logs', {}], options), logs.add)
  void read(await client.events(['transactionReceipts'], options), receipts.add)
  return { failure: () => failure, gaps, heads: heads.hashes, logs: logs.keys, receipts: receipts.hashes }
}

async function settled(server: ChainServer, watched: Watched, from: number): Promise<void> {
  const blocks = server.chain.slice(from)
  const reported = { heads: blocks.map(({ hash }) => hash) }
  const expected = {
    ...reported,
    logs: blocks.flatMap(({ hash, logs }) => logs.map(({ logIndex }) => `${hash} ${logIndex}`)),
    receipts: blocks.filter(({ logs }) => logs.length > 0).map(({ hash }) => hash),
    failure: undefined,
    gaps: [],
  }
  await expect
    .poll(
      () => ({
        heads: watched.heads(),
        logs: watched.logs(),
        // Nothing takes receipts back: those of replaced blocks stay.
        receipts: watched.receipts().filter((hash) => blocks.some((block) => block.hash === hash)),
        failure: watched.failure(),
        gaps: watched.gaps,
      }),
      { timeout: 6_000, interval: 20 },
    )
    .toEqual(expected)
}

const kinds: readonly ServerKind[] = ['plain', 'deaf', 'resuming']

describe.each(kinds)('over a %s server', (kind) => {
  it('tells what came while the connection was gone, without a gap', async () => {
    const server = await serveChain(kind)
    const watched = await watch(server)
    server.mine(2)
    await settled(server, watched, 5)
    server.cut()
    for (let i = 0; i < 10; i++) server.mine(i % 3)
    await settled(server, watched, 5)
    server.mine()
    await settled(server, watched, 5)
  })

  it('takes back what a reorg replaced meanwhile', async () => {
    const server = await serveChain(kind)
    const watched = await watch(server)
    for (let i = 0; i < 20; i++) server.mine(2)
    await settled(server, watched, 5)
    server.cut()
    server.reorg(15)
    await settled(server, watched, 5)
  })

  it('tells the rest of a block whose logs were cut off', async () => {
    const server = await serveChain(kind)
    const watched = await watch(server)
    server.mine(0)
    await settled(server, watched, 5)
    server.cutAfter(3)
    server.mine(6)
    await settled(server, watched, 5)
    server.mine(1)
    await settled(server, watched, 5)
  })

  it('begins at the head of its subscription, though no event has come', async () => {
    const server = await serveChain(kind)
    const watched = await watch(server)
    server.cut()
    server.mine(3)
    server.mine(1)
    await settled(server, watched, 5)
  })

  it('tells the block that came while it subscribed', async () => {
    const server = await serveChain(kind)
    server.mineBefore('logs', 2)
    server.mineBefore('transactionReceipts', 1)
    const watched = await watch(server)
    const [first, second] = server.chain.slice(5).map(({ hash }) => hash)
    await expect.poll(watched.logs).toEqual([`${first} 0x0`, `${first} 0x1`, `${second} 0x0`])
    await expect.poll(watched.receipts).toEqual([second])
  })
})

const nullRound = { code: 12, message: 'requested epoch was a null round (7)' }
const isEmpty = (number: number, made: number): boolean => (number + made) % 3 === 0
const chainsWithHoles: readonly (readonly [string, Holes])[] = [
  ['null', { isEmpty }],
  ['an error', { isEmpty, error: nullRound }],
]

describe.each(chainsWithHoles)('on a chain whose heights without a block are %s', (_, holes) => {
  it('tells what came while the connection was gone, and takes back what a reorg replaced, without a gap', async () => {
    const server = await serveChain('plain', 5, holes)
    const watched = await watch(server)
    for (let i = 0; i < 12; i++) server.mine(2)
    await settled(server, watched, 5)
    server.cut()
    for (let i = 0; i < 7; i++) server.mine(i % 3)
    await settled(server, watched, 5)
    server.cut()
    server.reorg(9)
    await settled(server, watched, 5)
    server.cut()
    server.mine(1)
    await settled(server, watched, 5)
  })

  it('takes back a block where none is any more', async () => {
    let made = 0
    const server = await serveChain('plain', 5, { ...holes, isEmpty: (number) => made === 1 && number < 8 })
    const watched = await watch(server)
    server.mine(2)
    await settled(server, watched, 5)
    server.cut()
    made = 1
    server.reorg(1)
    await settled(server, watched, 5)
  })

  it('knows the block below the first one that it was told, however far down', async () => {
    const server = await serveChain('plain', 5, { ...holes, isEmpty: (number) => number === 4 })
    const client = createClient({ url: server.url, resubscribe: fetchMissed })
    open.push(client)
    const reported: unknown[] = []
    const gaps: Gap[] = []
    await client.subscribe(['logs', {}], { onEvent: (log) => reported.push(log), onGap: (gap) => gaps.push(gap) })
    server.cut()
    server.reorg(1)
    await expect.poll(() => reported).toEqual(server.chain.slice(4).flatMap(({ logs }) => logs))
    expect(gaps).toEqual([])
  })

  it('tells the blocks from a height on, though none stands right below it', async () => {
    const server = await serveChain('plain', 30, { ...holes, isEmpty: (number) => [6, 7, 8].includes(number % 10) })
    const client = createClient({ url: server.url, resubscribe: fetchMissed })
    open.push(client)
    for (const fromBlock of ['0x7', '0x8', '0x9'] as const) {
      await using heads = await client.events(['newHeads', { fromBlock }])
      await using logs = await client.events(['logs', { fromBlock }])
      for (const { hash, logs: own } of server.chain.slice(6)) {
        expect((await heads.next()).value?.hash).toBe(hash)
        expect((await logs.next()).value).toEqual(own[0])
      }
    }
  })
})

it('fetches anew what came while missing events were fetched, where it is too much to hold', async () => {
  const server = await serveChain('plain', 50)
  const client = createClient({ url: server.url, resubscribe: fetchMissed })
  open.push(client)
  const gaps: Gap[] = []
  const options = { onGap: (gap: Gap) => void gaps.push(gap), maxBuffered: 10 }
  const events = await client.events(['logs', { fromBlock: '0x1' }], options)
  // Nothing is read yet, so that the first fetch cannot end.
  await expect.poll(() => server.calls.get('eth_getLogs') ?? 0).toBeGreaterThan(0)
  server.mine(10_050)
  const reported: string[] = []
  for await (const { blockHash, logIndex } of events) {
    reported.push(`${blockHash} ${logIndex}`)
    if (reported.length === 5_000) server.mine(1)
    if (reported.length === 49 + 10_050 + 1) break
  }
  const logs = server.chain.slice(1).flatMap((block) => block.logs)
  expect(reported).toEqual(logs.map(({ blockHash, logIndex }) => `${blockHash} ${logIndex}`))
  expect(gaps).toEqual([])
})

it('folded events equal the chain, whatever happens', { timeout: 120_000 }, async () => {
  const step = fc.oneof(
    { weight: 4, arbitrary: fc.record({ do: fc.constant('mine' as const), n: fc.integer({ min: 0, max: 4 }) }) },
    { weight: 2, arbitrary: fc.record({ do: fc.constant('reorg' as const), n: fc.integer({ min: 1, max: 6 }) }) },
    { weight: 2, arbitrary: fc.record({ do: fc.constant('cut' as const), n: fc.integer({ min: 0, max: 1 }) }) },
    { weight: 1, arbitrary: fc.record({ do: fc.constant('cutAfter' as const), n: fc.integer({ min: 1, max: 9 }) }) },
    { weight: 2, arbitrary: fc.record({ do: fc.constant('wait' as const), n: fc.integer({ min: 1, max: 60 }) }) },
  )
  const story = fc.array(step, { minLength: 3, maxLength: 20 })
  const ofHoles = fc.constantFrom(undefined, ...chainsWithHoles.map(([, holes]) => holes))
  await fc.assert(
    fc.asyncProperty(fc.constantFrom(...kinds), ofHoles, story, async (kind, holes, steps) => {
      const server = await serveChain(kind, 10, holes)
      const watched = await watch(server)
      let lowest = 10
      for (const { do: what, n } of steps) {
        if (what === 'mine') server.mine(n)
        else if (what === 'reorg') {
          // Logs from before the subscription stay.
          const depth = Math.min(n, server.chain.length - 10)
          if (depth > 0) server.reorg(depth)
          lowest = Math.min(lowest, server.chain.length)
        } else if (what === 'cut') server.cut(n === 1)
        else if (what === 'cutAfter') server.cutAfter(n)
        else await new Promise((resolve) => setTimeout(resolve, n))
      }
      server.mine(1)
      await settled(server, watched, 10)
      for (const one of open.splice(0)) await one.close()
    }),
    { numRuns: 18, endOnFailure: true },
  )
})

describe('a gap', () => {
  it('is told where the node does not know the block that it replaced', async () => {
    const server = await serveChain('plain')
    const client = createClient({ url: server.url, resubscribe: fetchMissed })
    open.push(client)
    const gaps: Gap[] = []
    const heads: unknown[] = []
    await client.subscribe(['logs', {}], { onEvent: (log) => heads.push(log), onGap: (gap) => gaps.push(gap) })
    server.cut()
    server.hidden.add(server.chain.at(-1)!.hash).add(server.chain.at(-2)!.hash)
    server.reorg(3)
    await expect.poll(() => gaps).toHaveLength(1)
    expect(gaps[0]!.reason).toMatch(/a reorg replaced block 3/)
    server.mine(1)
    await expect.poll(() => heads).toMatchObject([{ blockHash: server.chain.at(-1)!.hash }])
  })

  it.each(['newHeads', 'logs'] as const)('of %s is told after a drop where the place was not known', async (kind) => {
    const server = await serveChain('plain', 0)
    const client = createClient({ url: server.url, resubscribe: fetchMissed })
    open.push(client)
    const gaps: Gap[] = []
    const reported: unknown[] = []
    const params = kind === 'logs' ? ([kind, {}] as const) : ([kind] as const)
    await client.subscribe(params, { onEvent: (event) => reported.push(event), onGap: (gap) => gaps.push(gap) })
    server.cut()
    await expect.poll(() => gaps).toMatchObject([{ last: undefined }])
    server.mine(1)
    await expect.poll(() => reported).toHaveLength(1)
  })

  it('ends a loop that has no onGap', async () => {
    const server = await serveChain('plain')
    const client = createClient({ url: server.url, resubscribe: fetchMissed })
    open.push(client)
    const events = await client.events(['logs', {}])
    server.hidden.add(server.chain.at(-1)!.hash).add(server.chain.at(-2)!.hash)
    const next = events.next()
    server.cut()
    server.reorg(3)
    await expect(next).rejects.toMatchObject({ code: 'disconnected' })
  })
})

it.each(kinds)('a reorg that ends above a height without a block is taken back, over a %s server', async (kind) => {
  const server = await serveChain(kind, 5, { isEmpty: (number) => number % 4 === 2, error: nullRound })
  const watched = await watch(server)
  for (let i = 0; i < 3; i++) {
    server.mine(2)
    await settled(server, watched, 5)
    server.cut()
    server.reorg(1 + (i % 3))
    await settled(server, watched, 5)
  }
})

describe('a subscription from a place', () => {
  it.each(kinds)('tells the blocks from fromBlock on, over a %s server', async (kind) => {
    const server = await serveChain(kind, 30)
    const client = createClient({ url: server.url, resubscribe: fetchMissed })
    open.push(client)
    await using heads = await client.events(['newHeads', { fromBlock: '0x3' }])
    await using logs = await client.events(['logs', { fromBlock: '0x3' }])
    server.mine(1)
    for (const { hash, logs: own } of server.chain.slice(3)) {
      expect((await heads.next()).value?.hash).toBe(hash)
      expect((await logs.next()).value).toEqual(own[0])
    }
  })

  it.each(kinds)('tells all blocks from the first one, over a %s server', async (kind) => {
    const server = await serveChain(kind, 4)
    const client = createClient({ url: server.url, resubscribe: fetchMissed })
    open.push(client)
    await using heads = await client.events(['newHeads', { fromBlock: '0x0' }])
    await using logs = await client.events(['logs', { fromBlock: '0x0' }])
    for (const { hash, logs: own } of server.chain) {
      expect((await heads.next()).value?.hash).toBe(hash)
      expect((await logs.next()).value).toEqual(own[0])
    }
  })

  it.each(kinds)(
    'goes over heights without a block, also where it begins above one, over a %s server',
    async (kind) => {
      const server = await serveChain(kind, 30, { isEmpty: (number) => number % 7 > 4, error: nullRound })
      const client = createClient({ url: server.url, resubscribe: fetchMissed })
      open.push(client)
      for (const from of [0x7, 0x8, 0xd, 0xe]) {
        await using heads = await client.events(['newHeads', { fromBlock: `0x${from.toString(16)}` }])
        await using logs = await client.events(['logs', { fromBlock: `0x${from.toString(16)}` }])
        for (const { hash, logs: own } of server.chain.filter(({ number }) => Number(number) >= from)) {
          expect((await heads.next()).value?.hash).toBe(hash)
          expect((await logs.next()).value).toEqual(own[0])
        }
      }
    },
  )

  it('goes on after fromHash, and waits for a reader that is slow', async () => {
    const server = await serveChain('plain', 200)
    const client = createClient({ url: server.url, resubscribe: fetchMissed })
    open.push(client)
    const fromHash = server.chain[9]!.hash as `0x${string}`
    await using logs = await client.events(['logs', { fromHash }], { maxBuffered: 5 })
    for (const { hash } of server.chain.slice(10)) expect((await logs.next()).value?.blockHash).toBe(hash)
  })

  it('is refused where the node has no such block, or the place is said twice', async () => {
    const server = await serveChain('plain')
    const client = createClient({ url: server.url, resubscribe: fetchMissed })
    open.push(client)
    const fromHash = `0x${'ff'.repeat(32)}` as const
    await expect(client.events(['logs', { fromHash }])).rejects.toMatchObject({ code: 'unavailable' })
    const twice = { fromHash, fromBlock: '0x1' } as never
    await expect(client.events(['newHeads', twice])).rejects.toThrow('expected no fromBlock beside fromHash')
    await expect(client.events(['newHeads', { from: '0x1' } as never])).rejects.toThrow('eth_subscribe params[1]')
    await expect(client.events(['logs', { address: '0x1', fromBlock: '0x1' }])).rejects.toThrow('params[1].address')
  })
})
