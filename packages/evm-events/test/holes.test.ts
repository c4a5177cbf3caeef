import { createBlockLogs, createChainStream, createFanOut, createFilters, getLogs } from '@wayleave/evm-events'
import { createMemoryFilterStore, createResume, logCriteriaOf } from '@wayleave/evm-events'
import { createContext, isStream, rawJsonFromValue, type RpcHandler } from '@wayleave/jsonrpc-core'
import { FakeClock } from '@wayleave/jsonrpc-core/testing'
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { address, createSimChain, hex, log, logObjects } from './support/sim-chain.ts'
import { createSimNode, settle, until } from './support/sim-node.ts'

/** A chain that makes no block at `empty` of ten heights, and what is served from a node of it. */
function scene(empty: number, grown = 40) {
  const clock = new FakeClock()
  const chain = createSimChain(1_000, (number) => (number * 7) % 10 < empty)
  let salt = 0
  const some = () => (++salt % 3 === 0 ? [] : [log(1, salt), log(1, salt)])
  const growBy = (count: number): void => {
    for (let n = 0; n < count; n++) chain.grow(some())
  }
  growBy(grown)
  const node = createSimNode(chain, clock)
  const headOf = () => chain.head
  const nodes = getLogs({ clock, headOf, plainBlocks: 4, firstBlocks: 3 })(node.ask)
  const store = createMemoryFilterStore(clock)
  let ids = 0
  const newId = (): string => hex(++ids)
  const filters = createFilters({ clock, headOf, store, newId, share: { take: () => true, give() {} } })(nodes)
  async function value(method: string, params: readonly unknown[] = [], handler: RpcHandler = filters) {
    const context = createContext({ clock, timeoutMs: 60_000 })
    const request = { method, params: rawJsonFromValue(params), notification: false }
    const { result, error } = await until(clock, handler(request, context)).finally(() => context.release())
    expect(error).toBeUndefined()
    if (result === undefined || isStream(result)) throw new Error('expected a whole answer')
    return result.value() as never
  }
  return { clock, chain, node, nodes, headOf, growBy, some, value }
}

interface Reported {
  readonly blockHash: string
  readonly blockNumber: string
  readonly logIndex: string
  readonly removed: boolean
}
const keyOf = ({ blockHash, logIndex }: Reported): string => `${blockHash} ${logIndex}`

/** Puts logs and those taken back together. */
function folded(events: readonly Reported[]): string[] {
  const list: string[] = []
  for (const event of events) {
    if (event.removed) expect(list.pop()).toBe(keyOf(event))
    else list.push(keyOf(event))
  }
  return list
}

const steps = fc.array(
  fc.oneof(
    fc.record({ grow: fc.integer({ min: 1, max: 12 }) }),
    fc.record({ depth: fc.integer({ min: 1, max: 20 }), longer: fc.integer({ min: 1, max: 3 }) }),
  ),
  { minLength: 1, maxLength: 12 },
)

it('filters tell each block and log of a chain once, whatever heights have no block', async () => {
  await fc.assert(
    fc.asyncProperty(fc.integer({ min: 0, max: 8 }), steps, async (empty, actions) => {
      const { chain, growBy, some, value } = scene(empty)
      const ids = [await value('eth_newFilter', [{ address: address(1) }]), await value('eth_newBlockFilter')]
      const start = chain.head
      const events: Reported[] = []
      const hashes: string[] = []
      for (const action of actions) {
        if ('grow' in action) growBy(action.grow)
        // The blocks from before the filters stay.
        else
          chain.reorg(
            Math.min(action.depth, chain.canonical().indexOf(chain.head) - chain.canonical().indexOf(start)),
            action.longer,
            some,
          )
        events.push(...((await value('eth_getFilterChanges', [ids[0]])) as Reported[]))
        hashes.push(...((await value('eth_getFilterChanges', [ids[1]])) as string[]))
      }
      const after = chain.canonical().filter(({ number }) => number > start.number)
      expect(folded(events)).toEqual((after.flatMap(logObjects) as Reported[]).map(keyOf))
      expect(new Set(hashes).size).toBe(hashes.length)
      for (const { hash } of after) expect(hashes).toContain(hash)
    }),
    { numRuns: 60 },
  )
})

it('logs of any range are those of its blocks, whatever heights have no block', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.integer({ min: 0, max: 9 }),
      fc.integer({ min: 0, max: 150 }),
      fc.integer({ min: 0, max: 60 }),
      async (empty, from, length) => {
        const { chain, nodes, value } = scene(empty)
        const range = { fromBlock: 1_000 + from, toBlock: 1_000 + from + length }
        fc.pre(range.toBlock <= chain.head.number)
        const query = { fromBlock: hex(range.fromBlock), toBlock: hex(range.toBlock) }
        const reported = (await value('eth_getLogs', [query], nodes)) as Reported[]
        const isIn = ({ number }: { number: number }): boolean => number >= range.fromBlock && number <= range.toBlock
        expect(reported).toEqual(chain.canonical().filter(isIn).flatMap(logObjects))
      },
    ),
    { numRuns: 150 },
  )
})

it('who resumes is told each block once, from any height on, whatever heights have no block', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.integer({ min: 0, max: 8 }),
      fc.integer({ min: 1, max: 60 }),
      fc.constantFrom(10, 128),
      fc.boolean(),
      async (empty, back, maxReorg, byHash) => {
        const { clock, chain, node, nodes, headOf, growBy } = scene(empty, 80)
        const stream = createChainStream({ source: chain, ask: node.ask, clock })
        const blockLogs = createBlockLogs({ ask: node.ask, clock })
        const fanOut = createFanOut({ stream, blockLogs, clock })
        const resume = createResume({ stream, fanOut, blockLogs, ask: nodes, headOf, clock, maxReorg })
        const place = chain.canonical().findLast(({ number }) => number <= chain.head.number - back)!
        const from = byHash ? { fromHash: place.hash } : { fromBlock: chain.head.number - back }
        const first = byHash ? place.number + 1 : from.fromBlock!
        const reported = { heads: [] as string[], logs: [] as string[] }
        const ends: unknown[] = []
        const sink = (take: (value: never) => void) => ({
          event: (_: string, result: { value(): unknown }) => take(result.value() as never) === undefined,
          gap() {},
          end: (why: unknown) => void ends.push(why),
        })
        const context = createContext({ clock })
        const point = await until(clock, resume.find(from, context))
        resume.newHeads(
          point,
          sink(({ hash }: { hash: string }) => void reported.heads.push(hash)),
        )
        resume.logs(
          logCriteriaOf({}),
          point,
          sink((each: Reported) => void reported.logs.push(keyOf(each))),
        )
        await settle(clock, 2_000)
        growBy(5)
        await settle(clock, 2_000)
        context.release()
        const expected = chain.canonical().filter(({ number }) => number >= first)
        expect(ends).toEqual([])
        expect(reported.heads).toEqual(expected.map(({ hash }) => hash))
        expect(reported.logs).toEqual((expected.flatMap(logObjects) as Reported[]).map(keyOf))
        stream.close()
      },
    ),
    { numRuns: 60 },
  )
})

it('a node that is behind is asked for two further blocks, not for all that may follow a height without one', async () => {
  const clock = new FakeClock()
  const chain = createSimChain(1_000)
  for (let n = 0; n < 40; n++) chain.grow([])
  const isBehind = (params: string): boolean => Number(/0x[0-9a-f]+/.exec(params)?.[0]) > 1_020
  const node = createSimNode(chain, clock, (_, params) => (isBehind(params) ? 'null' : undefined))
  const nodes = getLogs({ clock, headOf: () => chain.head, plainBlocks: 4 })(node.ask)
  const context = createContext({ clock, timeoutMs: 60_000 })
  const params = rawJsonFromValue([{ fromBlock: hex(1_018), toBlock: hex(1_023) }])
  const asked = nodes({ method: 'eth_getLogs', params, notification: false }, context)
  await expect(until(clock, asked)).rejects.toMatchObject({ code: 'unavailable' })
  context.release()
  const once = [1_023, 1_024, 1_040].map((number) => `eth_getBlockByNumber ["${hex(number)}",false]`)
  expect(node.asked).toEqual(Array.from({ length: node.asked.length / 3 }, () => once).flat())
})
