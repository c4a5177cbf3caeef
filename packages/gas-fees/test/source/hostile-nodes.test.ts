import { createFeeSource, type FeeSource, type FeeSourceOptions, metamask } from '@wayleave/gas-fees'
import { type Clock, rawJsonFromValue, type RpcHandler, type RpcSink } from '@wayleave/jsonrpc-core'
import { expect, it, onTestFinished } from 'vitest'
import { settle, SimulatedChain } from '../simulated-chain.ts'

const day = 86_400

function sourceOf(chain: SimulatedChain, options: Partial<FeeSourceOptions> = {}): FeeSource {
  const source = createFeeSource({ handler: chain.handler, clock: chain.clock, ...options })
  onTestFinished(() => source.close())
  return source
}

async function pass(chain: SimulatedChain, seconds: number): Promise<void> {
  for (let i = 0; i < seconds; i++) {
    chain.clock.advance(1_000)
    await settle()
  }
}

/** A node that lets its heads be pushed by hand. */
function pushing(chain: SimulatedChain): { readonly handler: RpcHandler; push(number: number): void } {
  let sink: RpcSink | undefined
  return {
    async handler(request, context) {
      if (request.method !== 'eth_subscribe') return chain.handler(request, context)
      const open = (opened: RpcSink) => {
        sink = opened
        return () => {}
      }
      return { result: rawJsonFromValue('0x1'), subscription: { id: '0x1', open } }
    },
    push(number) {
      const { hash, parentHash, timestamp, baseFee } = chain.blocks[number]!
      const [index, time, fee] = [number, timestamp, baseFee].map((value) => `0x${value.toString(16)}`)
      const header = { number: index, hash, parentHash, timestamp: time, baseFeePerGas: fee }
      sink!.event('eth_subscription', rawJsonFromValue(header))
    },
  }
}

it('a head that stands still grows old, however far ahead its time is', async () => {
  const chain = new SimulatedChain()
  chain.blocks = chain.blocks.map((block) => ({ ...block, timestamp: block.timestamp + 365 * day }))
  const source = sourceOf(chain)
  expect(await source.current()).toMatchObject({ state: 'ready', isStale: false })
  await pass(chain, 60)
  expect(source.current()).toMatchObject({ state: 'ready', isStale: true })
  await pass(chain, 65)
  expect(source.current()).toMatchObject({ state: 'unavailable' })
})

it('a halt of the chain a while ago does not make old answers pass for new', async () => {
  const chain = new SimulatedChain()
  chain.blocks = chain.blocks.map((block, i) => (i < 590 ? { ...block, timestamp: block.timestamp - day } : block))
  const source = sourceOf(chain)
  const reading = await source.current()
  if (reading.state !== 'ready') throw new Error('expected an answer')
  expect(reading.answer.history.blockTimeMs).toBe(60_000)
  expect(reading.nextBlockInMs).toBeLessThanOrEqual(60_000)
  await pass(chain, 200)
  expect(source.current()).toMatchObject({ state: 'ready', isStale: true })
  await pass(chain, 410)
  expect(await source.current()).toMatchObject({ state: 'unavailable' })
})

it('no wait is longer than a timer can be, whatever times the blocks tell', async () => {
  const chain = new SimulatedChain()
  chain.pushes = true
  chain.blocks = chain.blocks.map((block, i) => ({ ...block, timestamp: i * 2 ** 40 }))
  const waits: number[] = []
  const clock: Clock = {
    now: () => chain.clock.now(),
    date: () => chain.clock.date(),
    after(ms, run) {
      waits.push(ms)
      return chain.clock.after(ms, run)
    },
  }
  const source = createFeeSource({ handler: chain.handler, clock })
  await source.current()
  await settle()
  await pass(chain, 100)
  await source.close()
  expect(Math.max(...waits)).toBeLessThanOrEqual(300_000)
  expect(chain.calls.length).toBeLessThan(20)
})

it('a node that answers with another block than was asked for is not believed', async () => {
  const chain = new SimulatedChain({ blocks: 51 })
  chain.lag = 1
  const handler: RpcHandler = (request, context) => {
    if (request.method !== 'eth_getBlockByNumber' || chain.calls.length < 2) return chain.handler(request, context)
    chain.lag = 0
    return chain.handler({ ...request, params: rawJsonFromValue(['latest', false]) }, context)
  }
  const reading = await sourceOf(chain, { handler }).current()
  if (reading.state !== 'ready') throw new Error('expected an answer')
  expect(reading.answer.blockNumber).toBe(49)
  expect(reading.answer.history.blocks.at(-1)!.number).toBe(49)
  expect(reading.answer.history.blockTimeMs).toBeUndefined()
})

it('one node of several that knows no base fees takes no answer away', async () => {
  const chain = new SimulatedChain()
  const failures: unknown[] = []
  const source = sourceOf(chain, { onFailure: (why) => failures.push(why) })
  await source.current()
  chain.hasBaseFee = false
  await pass(chain, 30)
  expect(source.current()).toMatchObject({ state: 'ready' })
  expect(failures[0]).toMatchObject({ code: 'unsupported' })
  chain.hasBaseFee = true
  chain.mine()
  await pass(chain, 6)
  expect(source.current()).toMatchObject({ state: 'ready', answer: { blockNumber: chain.head.number } })
  chain.hasBaseFee = false
  await pass(chain, 130)
  expect(source.current()).toMatchObject({ state: 'unsupported' })
})

it('heads that are pushed out of order do not take it back', async () => {
  const chain = new SimulatedChain()
  const { handler, push } = pushing(chain)
  const source = sourceOf(chain, { handler })
  await source.current()
  await settle()
  for (const number of [597, 595, 596]) {
    push(number)
    await settle()
    expect(source.current()).toMatchObject({ answer: { blockNumber: 599 } })
  }
  await pass(chain, 2)
  expect(source.current()).toMatchObject({ answer: { blockNumber: 599 } })
})

it('of a flood of heads only the newest is asked for', async () => {
  const chain = new SimulatedChain({ blocks: 500 })
  const { handler, push } = pushing(chain)
  const source = sourceOf(chain, { handler })
  await source.current()
  await settle()
  chain.calls = []
  chain.mine(20)
  for (let i = 0; i < 10_000; i++) push(500 + (i % 20))
  await settle()
  expect(source.current()).toMatchObject({ answer: { blockNumber: 519 } })
  expect(chain.calls.length).toBeLessThan(5)
})

it('an answer has another tag where it says something else after the same block', async () => {
  const tags = new Set<string>()
  const variants = [{}, { window: 20 }, { strategy: metamask }]
  for (const options of variants) {
    const reading = await sourceOf(new SimulatedChain(), options).current()
    if (reading.state !== 'ready') throw new Error('expected an answer')
    tags.add(reading.answer.print('suggestedGasFees').etag)
    expect(reading.answer.print('baseFeeHistory').etag).not.toBe(reading.answer.print('busyThreshold').etag)
  }
  expect(tags.size).toBe(variants.length)
})

it('closing ends the wait for a store that does not answer, and leaves no timer', async () => {
  const chain = new SimulatedChain()
  const silent = { load: () => new Promise<undefined>(() => {}), save: async () => {} }
  const source = createFeeSource({
    handler: chain.handler,
    clock: chain.clock,
    store: { network: 'net', fees: silent },
  })
  const reading = source.current()
  await settle()
  await source.close()
  expect(await reading).toMatchObject({ state: 'unavailable' })
  expect(chain.clock.timers).toBe(0)
  expect(chain.calls).toEqual([])
})

it('a listener that throws keeps nobody else from hearing', async () => {
  const thrown: unknown[] = []
  const before = process.listeners('uncaughtException')
  process.removeAllListeners('uncaughtException')
  process.on('uncaughtException', (error) => thrown.push(error))
  try {
    const chain = new SimulatedChain()
    chain.pushes = true
    const source = sourceOf(chain)
    const reported: number[] = []
    source.watch(() => {
      throw new Error('of the listener')
    })
    source.watch(({ blockNumber }) => reported.push(blockNumber))
    await settle()
    chain.mine()
    await settle()
    expect(reported).toEqual([599, 600])
    expect(thrown).toHaveLength(2)
  } finally {
    process.removeAllListeners('uncaughtException')
    for (const listener of before) process.on('uncaughtException', listener)
  }
})
