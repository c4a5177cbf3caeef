import { createContext, rawJsonFromText, type RpcHandler, RpcError } from '@wayleave/jsonrpc-core'
import { createBlockLogs, createChainStream, createRelay, streamBlockOf } from '@wayleave/evm-events'
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { PausingClock } from './support/pausing-clock.ts'
import { blockJson, createSimChain, log } from './support/sim-chain.ts'
import { createSimNode, type Fault, settle } from './support/sim-node.ts'

const faults = fc.constantFrom<Fault>('hang', 'reject', 'null')
/** Stops of the process: each after some time of running, longer than any one attempt. */
const pauses = fc.array(
  fc.record({ afterMs: fc.integer({ min: 0, max: 5_000 }), ms: fc.integer({ min: 12_000, max: 300_000 }) }),
  {
    maxLength: 4,
  },
)

/** Runs the clock for `ms` with stops in between, which do not count. */
async function run(clock: PausingClock, ms: number, stops: readonly { afterMs: number; ms: number }[]): Promise<void> {
  let left = ms
  for (const stop of stops) {
    const now = Math.min(left, stop.afterMs)
    await settle(clock, now, 250)
    left -= now
    clock.pause(stop.ms)
  }
  await settle(clock, left, 250)
}

function scene(fault: Fault) {
  const clock = new PausingClock()
  const chain = createSimChain(100)
  const state = { isWell: true }
  const node = createSimNode(chain, clock, () => (state.isWell ? undefined : fault))
  return { clock, chain, node, state }
}

it('reads a block whose nodes are well after 12 s, however long the process stands still meanwhile', async () => {
  await fc.assert(
    fc.asyncProperty(faults, pauses, async (fault, stops) => {
      const { clock, chain, node, state } = scene(fault)
      const block = streamBlockOf(blockJson(chain.grow([log(1, 1)])))!
      const context = createContext({ clock, timeoutMs: Number.POSITIVE_INFINITY })
      state.isWell = false
      const reading = createBlockLogs({ ask: node.ask, clock }).read(block, { logs: true }, context)
      const outcome = reading.then(
        ({ logs }) => logs.length,
        (why: RpcError) => why.message,
      )
      await run(clock, 12_000, stops)
      state.isWell = true
      await settle(clock, 12_000, 250)
      expect([await outcome, clock.timers]).toEqual([1, 0])
    }),
    { numRuns: 40 },
  )
})

it('follows a chain likewise', async () => {
  await fc.assert(
    fc.asyncProperty(faults, pauses, async (fault, stops) => {
      const { clock, chain, node, state } = scene(fault)
      const stream = createChainStream({ source: chain, ask: node.ask, clock })
      const got: unknown[] = []
      const leave = stream.watch({
        update: ({ block }) => void got.push(block.number),
        lost: (_, why) => void got.push(why.message),
      })
      await settle(clock)
      state.isWell = false
      chain.grow([], 'bare')
      await run(clock, 12_000, stops)
      state.isWell = true
      await settle(clock, 12_000, 250)
      expect(got).toEqual([101])
      leave()
    }),
    { numRuns: 40 },
  )
})

it('gives up in the end, also after the process stood still', async () => {
  const { clock, chain, node, state } = scene('hang')
  state.isWell = false
  const block = streamBlockOf(blockJson(chain.grow([log(1, 1)])))!
  const context = createContext({ clock, timeoutMs: Number.POSITIVE_INFINITY })
  const settled: unknown[] = []
  createBlockLogs({ ask: node.ask, clock })
    .read(block, { logs: true }, context)
    .catch((why: RpcError) => settled.push(why.code))
  await settle(clock, 25_000, 250)
  clock.pause(60_000)
  await settle(clock, 25_000, 250)
  expect(settled).toEqual([])
  await settle(clock, 10_000, 250)
  expect([settled, clock.timers]).toEqual([['unavailable'], 0])
})

it('keeps a relay that looks for another node while the process stands still', async () => {
  const clock = new PausingClock()
  let isWell = true
  let end = (): void => {}
  const ask: RpcHandler = async () => {
    if (!isWell) throw new RpcError('unavailable', 'nobody is there')
    const open = (sink: { end(): void }) => {
      end = () => sink.end()
      return () => {}
    }
    return { result: rawJsonFromText('"0x1"'), subscription: { id: '0x1', open } }
  }
  const request = { method: 'eth_subscribe', params: rawJsonFromText('["newThings"]'), notification: false }
  const relay = createRelay({ ask, clock, request })
  const ends: unknown[] = []
  const leave = relay.join({ event: () => true, gap() {}, end: (why) => void ends.push(why?.message) })
  await settle(clock)
  isWell = false
  end()
  await settle(clock, 50_000, 250)
  clock.pause(100_000)
  await settle(clock, 50_000, 250)
  expect(ends).toEqual([])
  await settle(clock, 20_000, 250)
  expect(ends).toEqual(['no node takes the subscription any more'])
  leave()
})
