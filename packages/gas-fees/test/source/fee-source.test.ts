import {
  createFeeSource,
  type FeeReading,
  type FeeSource,
  type FeeSourceOptions,
  type HeadSource,
  wayleave,
} from '@wayleave/gas-fees'
import { createContext, isStream, rawJsonFromValue, RpcError } from '@wayleave/jsonrpc-core'
import { describe, expect, it, onTestFinished } from 'vitest'
import { settle, SimulatedChain } from '../simulated-chain.ts'

type Ready = Extract<FeeReading, { state: 'ready' }>

function sourceOf(chain: SimulatedChain, options: Partial<FeeSourceOptions> = {}): FeeSource {
  const source = createFeeSource({ handler: chain.handler, clock: chain.clock, ...options })
  onTestFinished(() => source.close())
  return source
}

async function read(source: FeeSource): Promise<Ready> {
  const reading = await source.current()
  expect(reading).toMatchObject({ state: 'ready' })
  return reading as Ready
}

/** Lets time pass, a second after the other. */
async function pass(chain: SimulatedChain, seconds: number): Promise<void> {
  for (let i = 0; i < seconds; i++) {
    chain.clock.advance(1_000)
    await settle()
  }
}

/** The answer is what the chain says now. */
async function expectAt(source: FeeSource, chain: SimulatedChain, blocks = 500): Promise<void> {
  const { answer } = await read(source)
  expect(answer.blockNumber).toBe(chain.head.number)
  expect(answer.blockHash).toBe(chain.head.hash)
  expect(answer.history.nextBaseFeePerGas).toBe(chain.nextBaseFee)
  const newest = chain.blocks.slice(-blocks)
  expect(answer.history.blocks.map(({ number }) => number)).toEqual(newest.map(({ number }) => number))
  expect(answer.history.blocks.map(({ baseFeePerGas }) => baseFeePerGas)).toEqual(newest.map(({ baseFee }) => baseFee))
}

describe('a fee source', () => {
  it('asks nothing before its first use, and three calls for all of the window', async () => {
    const chain = new SimulatedChain()
    const source = sourceOf(chain)
    await settle()
    expect(chain.calls).toEqual([])
    await expectAt(source, chain)
    expect(chain.calls.slice(0, 3)).toEqual(['eth_getBlockByNumber', 'eth_feeHistory', 'eth_getBlockByNumber'])
    const { answer } = await read(source)
    expect(answer.history.blockTimeMs).toBe(12_000)
    expect(answer.history.percentiles).toEqual(wayleave.percentiles)
    expect(answer.history.blocks.at(-1)!.rewards).toEqual(wayleave.percentiles.map((each) => 5_990n + BigInt(each)))
  })

  it('answers from memory, with one answer a block, printed once', async () => {
    const chain = new SimulatedChain()
    const source = sourceOf(chain)
    await source.current()
    await settle()
    const before = chain.calls.length
    const readings = Array.from({ length: 100 }, () => source.current())
    for (const reading of readings) expect(reading).not.toBeInstanceOf(Promise)
    const answers = (readings as Ready[]).map(({ answer }) => answer)
    expect(new Set(answers).size).toBe(1)
    expect(answers[0]!.print('suggestedGasFees')).toBe(answers[1]!.print('suggestedGasFees'))
    expect(JSON.parse(answers[0]!.print('suggestedGasFees').body)).toEqual(answers[0]!.fees)
    expect(chain.calls.length).toBe(before)
  })

  it.each([90, -90])('answers alike where the times of blocks are %d s behind the clock', async (behind) => {
    const chain = new SimulatedChain({ behind })
    chain.pushes = true
    const source = sourceOf(chain)
    expect(await read(source)).toMatchObject({ ageMs: 0, isStale: false, nextBlockInMs: 12_000 })
    for (let i = 0; i < 5; i++) {
      chain.mine()
      await settle()
      expect(await read(source)).toMatchObject({ ageMs: 0, isStale: false, nextBlockInMs: 12_000 })
      await expectAt(source, chain)
    }
    await pass(chain, 130)
    expect(await source.current()).toMatchObject({ state: 'unavailable' })
  })

  it('is unavailable at first where the node stopped long ago', async () => {
    expect(await sourceOf(new SimulatedChain({ behind: 700 })).current()).toMatchObject({ state: 'unavailable' })
  })

  it('measures no block time from block 0, whose time may be any', async () => {
    const chain = new SimulatedChain({ blocks: 40 })
    chain.blocks[0] = { ...chain.head, ...chain.blocks[0]!, timestamp: 0 }
    expect((await read(sourceOf(chain))).answer.history.blockTimeMs).toBe(12_000)
  })

  it('shares the first backfill among all who ask meanwhile', async () => {
    const chain = new SimulatedChain()
    const source = sourceOf(chain)
    await Promise.all(Array.from({ length: 50 }, () => read(source)))
    expect(chain.calls.filter((method) => method === 'eth_feeHistory')).toHaveLength(1)
  })

  it('fetches only the missing block after each pushed head', async () => {
    const chain = new SimulatedChain({ blocks: 500 })
    chain.pushes = true
    const source = sourceOf(chain)
    await source.current()
    await settle()
    expect(chain.subscribers).toBe(1)
    for (let i = 0; i < 5; i++) {
      chain.calls = []
      chain.mine()
      await settle()
      expect(chain.calls).toEqual(['eth_feeHistory'])
      await expectAt(source, chain)
    }
  })

  it('polls where nothing pushes, about once a block, and is at most a block behind', async () => {
    const chain = new SimulatedChain({ blocks: 500 })
    const source = sourceOf(chain)
    await source.current()
    await settle()
    chain.calls = []
    for (let i = 0; i < 20; i++) {
      chain.mine()
      await settle()
      await pass(chain, 4)
      await expectAt(source, chain)
    }
    const count = (method: string): number => chain.calls.filter((called) => called === method).length
    expect(count('eth_feeHistory')).toBe(20)
    expect(count('eth_getBlockByNumber')).toBeLessThanOrEqual(60)
  })

  it('fills a gap with one call', async () => {
    const chain = new SimulatedChain({ blocks: 500 })
    chain.pushes = true
    const source = sourceOf(chain)
    await source.current()
    await settle()
    chain.endSubscriptions()
    chain.failure = new RpcError('connect', 'away')
    chain.mine(4)
    await settle()
    chain.failure = undefined
    chain.calls = []
    chain.clock.advance(6_000)
    await settle()
    expect(chain.calls.filter((method) => method === 'eth_feeHistory')).toHaveLength(1)
    await expectAt(source, chain)
  })

  it.each([1, 2, 7, 40, 100, 590])('follows a reorganisation of %i blocks', async (depth) => {
    const chain = new SimulatedChain()
    chain.pushes = true
    const source = sourceOf(chain)
    await source.current()
    for (let i = 0; i < 20; i++) {
      chain.mine()
      await settle()
    }
    chain.calls = []
    chain.reorganise(depth, depth + 1)
    await settle()
    await expectAt(source, chain)
    expect(chain.calls.length).toBeLessThan(15)
    if (depth === 1) expect(chain.calls).toEqual(['eth_getBlockByNumber', 'eth_feeHistory'])
  })

  it('keeps its answer while a node is behind, and believes a lower head that is told twice', async () => {
    const chain = new SimulatedChain()
    const source = sourceOf(chain)
    await source.current()
    await settle()
    const { number } = chain.head
    chain.lag = 2
    chain.clock.advance(13_600)
    await settle()
    expect((await read(source)).answer.blockNumber).toBe(number)
    chain.lag = 0
    chain.reorganise(3, 1)
    await pass(chain, 3)
    // Blocks dropped at the newer end are not fetched at the older one.
    await expectAt(source, chain, 498)
  })

  it('starts anew on a chain that started anew', async () => {
    const chain = new SimulatedChain()
    const source = sourceOf(chain)
    await source.current()
    await settle()
    chain.blocks = chain.blocks.slice(0, 1)
    chain.reorganise(0, 0)
    chain.mine(3)
    chain.blocks = chain.blocks.slice(1).map((block, number) => ({ ...block, number }))
    for (let i = 0; i < 4; i++) {
      chain.clock.advance(300)
      await settle()
    }
    await expectAt(source, chain)
  })

  it.each([
    { most: 300, shortens: false },
    { most: 100, shortens: false },
    { most: 128, shortens: true },
    { most: 10, shortens: true },
  ])('backfills from a node that gives few blocks at a time: %o', async (limits) => {
    const chain = new SimulatedChain()
    Object.assign(chain, limits)
    await expectAt(sourceOf(chain), chain)
    expect(chain.calls.length).toBeLessThan(64)
  })

  it('makes do with fewer blocks of a node that gives one at a time', async () => {
    const chain = new SimulatedChain()
    chain.most = 1
    const { answer } = await read(sourceOf(chain))
    expect(answer.blockNumber).toBe(chain.head.number)
    expect(answer.history.blocks.length).toBeGreaterThan(50)
  })

  it('measures no block time over block 0 of a chain that it has followed from there', async () => {
    const chain = new SimulatedChain({ blocks: 1 })
    chain.blocks[0] = { ...chain.head, timestamp: 0 }
    chain.pushes = true
    const source = sourceOf(chain)
    await source.current()
    await settle()
    for (const [blocks, blockTimeMs] of [
      [1, undefined],
      [1, 12_000],
      [5, 12_000],
    ] as const) {
      for (let i = 0; i < blocks; i++) {
        chain.mine()
        await settle()
      }
      expect((await read(source)).answer.history.blockTimeMs).toBe(blockTimeMs)
    }
  })

  it('believes no block time above a minute', async () => {
    const chain = new SimulatedChain({ blocks: 20, blockTime: 86_400 })
    const { answer } = await read(sourceOf(chain, { maxAgeMs: 10 * 86_400_000 }))
    expect(answer.fees.low).toMatchObject({ minWaitTimeEstimate: 60_000, maxWaitTimeEstimate: 600_000 })
  })

  it('answers for a chain that has only its genesis', async () => {
    const chain = new SimulatedChain({ blocks: 1 })
    const source = sourceOf(chain)
    await expectAt(source, chain)
    expect((await read(source)).answer.history.blockTimeMs).toBeUndefined()
  })

  it.each([{ hasRewards: false }, { refusesPercentiles: true }])(
    'answers for nodes that tell no rewards: %o',
    async (node) => {
      const chain = new SimulatedChain()
      Object.assign(chain, node)
      const { answer } = await read(sourceOf(chain))
      expect(answer.history.blocks).toHaveLength(500)
      expect(answer.history.blocks.every(({ rewards }) => rewards === undefined)).toBe(true)
      expect(answer.fees.estimatedBaseFee).toBe('1.000600007')
    },
  )

  it('marks an answer as stale where nobody confirms it, then gives none', async () => {
    const chain = new SimulatedChain()
    const failures: unknown[] = []
    const source = sourceOf(chain, { onFailure: (why) => failures.push(why) })
    await read(source)
    chain.failure = new RpcError('connect', 'refused')
    expect((await read(source)).isStale).toBe(false)
    for (const [seconds, expected] of [
      [40, { state: 'ready', isStale: true }],
      [75, { state: 'ready', isStale: true }],
      [10, { state: 'unavailable' }],
    ] as const) {
      await pass(chain, seconds)
      expect(source.current()).toMatchObject(expected)
    }
    expect(failures.length).toBeGreaterThan(3)
    chain.failure = undefined
    chain.mine()
    await settle()
    await pass(chain, 12)
    await expectAt(source, chain)
  })

  it('takes a head that stands still for a dead one, unless blocks come on demand', async () => {
    for (const blocksOnDemand of [false, true]) {
      const chain = new SimulatedChain()
      chain.clock.advance(3_600_000)
      const source = sourceOf(chain, { blocksOnDemand })
      expect(await source.current()).toMatchObject(
        blocksOnDemand ? { state: 'ready', isStale: false } : { state: 'unavailable' },
      )
    }
  })

  it('takes a node that is silent for a dead one, also where blocks come on demand', async () => {
    const chain = new SimulatedChain()
    const source = sourceOf(chain, { blocksOnDemand: true })
    await read(source)
    chain.failure = new RpcError('connect', 'refused')
    await pass(chain, 30)
    expect(source.current()).toMatchObject({ state: 'ready', isStale: true })
    await pass(chain, 35)
    expect(source.current()).toMatchObject({ state: 'unavailable' })
  })

  it('asks ever more seldom for pushes that it is refused', async () => {
    const chain = new SimulatedChain()
    const source = sourceOf(chain)
    source.watch(() => {})
    await pass(chain, 1_200)
    expect(chain.calls.filter((method) => method === 'eth_subscribe').length).toBeLessThan(10)
  })

  it('leaves a subscription that opens after it was closed', async () => {
    const chain = new SimulatedChain()
    chain.pushes = true
    let open = (): void => {}
    const source = createFeeSource({
      clock: chain.clock,
      async handler(request, context) {
        if (request.method === 'eth_subscribe') await new Promise<void>((resolve) => (open = resolve))
        return chain.handler(request, { ...context, cancelled: undefined })
      },
    })
    await source.current()
    await settle()
    await source.close()
    open()
    await settle()
    expect(chain.subscribers).toBe(0)
  })

  it('says lastingly that a network has no base fee, and asks again after a minute', async () => {
    const chain = new SimulatedChain()
    chain.hasBaseFee = false
    const source = sourceOf(chain)
    expect(await source.current()).toMatchObject({ state: 'unsupported', reason: expect.stringContaining('EIP-1559') })
    const before = chain.calls.length
    for (let i = 0; i < 5; i++) expect(source.current()).toMatchObject({ state: 'unsupported' })
    expect(chain.calls.length).toBe(before)
    chain.hasBaseFee = true
    chain.mine(6)
    await expectAt(source, chain)
  })

  it('says lastingly that the nodes serve no fee history', async () => {
    const chain = new SimulatedChain()
    chain.errors.set('eth_feeHistory', { code: -32601, message: 'the method eth_feeHistory does not exist' })
    expect(await sourceOf(chain).current()).toMatchObject({ state: 'unsupported' })
  })

  it('does not wait for ever on a node that does not answer', async () => {
    const chain = new SimulatedChain()
    const source = createFeeSource({
      clock: chain.clock,
      handler: (_, context) => new Promise((_resolve, reject) => void context.onCancel(reject)),
    })
    const reading = source.current()
    await settle()
    chain.clock.advance(10_000)
    expect(await reading).toMatchObject({ state: 'unavailable' })
    await source.close()
  })

  it('tells watchers each block once, and nothing after they left', async () => {
    const chain = new SimulatedChain()
    chain.pushes = true
    const source = sourceOf(chain)
    const reported: number[] = []
    const leave = source.watch(({ blockNumber }) => reported.push(blockNumber))
    await settle()
    chain.mine()
    await settle()
    chain.mine()
    await settle()
    leave()
    chain.mine()
    await settle()
    expect(reported).toEqual([599, 600, 601])
  })

  it('stops following when nobody asks or watches, and goes on when somebody does', async () => {
    const chain = new SimulatedChain()
    chain.pushes = true
    const source = sourceOf(chain, { idleMs: 60_000 })
    const leave = source.watch(() => {})
    for (let i = 0; i < 10; i++) {
      chain.mine()
      await settle()
    }
    expect(chain.subscribers).toBe(1)
    leave()
    for (let i = 0; i < 6; i++) {
      chain.mine()
      await settle()
    }
    expect(chain.subscribers).toBe(0)
    expect(chain.clock.timers).toBe(0)
    chain.calls = []
    chain.mine(3)
    await settle()
    expect(chain.calls).toEqual([])
    await expectAt(source, chain)
    expect(chain.calls.filter((method) => method === 'eth_feeHistory')).toHaveLength(1)
  })

  it('tells those who watch it of its close once, also those who come later', async () => {
    const source = sourceOf(new SimulatedChain())
    const ends: string[] = []
    source.watch(
      () => {},
      () => ends.push('early'),
    )
    source.watch(
      () => {},
      () => ends.push('left'),
    )()
    await source.close()
    await source.close()
    source.watch(
      () => {},
      () => ends.push('late'),
    )
    expect(ends).toEqual(['early', 'late'])
  })

  it('leaves no timer and no subscription behind when it is closed', async () => {
    const chain = new SimulatedChain()
    chain.pushes = true
    const source = sourceOf(chain)
    await source.current()
    await settle()
    await source.close()
    await source.close()
    expect(chain.subscribers).toBe(0)
    expect(chain.clock.timers).toBe(0)
    expect(source.current()).toMatchObject({ state: 'unavailable' })
  })
})

describe('a fee source whose host tells it the heads', () => {
  /** Tells the head of a chain to those who watch. */
  function headsOf(chain: SimulatedChain) {
    const listeners = new Set<Parameters<HeadSource['watch']>[0]>()
    const heads: HeadSource = {
      watch(listener) {
        listeners.add(listener)
        return () => listeners.delete(listener)
      },
    }
    async function report(withHeader = true): Promise<void> {
      const { result } = await chain.handler(
        { method: 'eth_getBlockByNumber', params: rawJsonFromValue(['latest', false]), notification: false },
        createContext(),
      )
      chain.calls = []
      if (result === undefined || isStream(result)) throw new Error('a header was expected')
      for (const listener of listeners) listener({ kind: 'new', ...(withHeader && { header: result }) })
      await settle()
    }
    return { heads, report, listeners }
  }

  it('asks for nothing but the fees of each', async () => {
    const chain = new SimulatedChain()
    chain.pushes = true
    const { heads, report } = headsOf(chain)
    const source = sourceOf(chain, { heads })
    await source.current()
    await settle()
    expect(chain.subscribers).toBe(0)
    for (let i = 0; i < 5; i++) {
      chain.mine()
      await report()
      await expectAt(source, chain)
      expect(chain.calls).toEqual(['eth_feeHistory'])
      await pass(chain, 11)
      expect(chain.calls).toEqual(['eth_feeHistory'])
    }
  })

  it('asks a node for a head that is told without its header, and heeds no block that was dropped', async () => {
    const chain = new SimulatedChain()
    const { heads, report, listeners } = headsOf(chain)
    const source = sourceOf(chain, { heads })
    await source.current()
    await settle()
    chain.mine()
    await report(false)
    await expectAt(source, chain)
    expect(chain.calls).toEqual(['eth_getBlockByNumber', 'eth_feeHistory'])
    chain.calls = []
    for (const listener of listeners) listener({ kind: 'dropped' })
    await settle()
    expect(chain.calls).toEqual([])
  })

  it('asks a node itself where no head was told for two blocks, and leaves with its close', async () => {
    const chain = new SimulatedChain()
    const { heads, listeners } = headsOf(chain)
    const source = sourceOf(chain, { heads })
    await source.current()
    await settle()
    chain.mine(2)
    await pass(chain, 30)
    await expectAt(source, chain)
    expect(listeners.size).toBe(1)
    await source.close()
    expect([listeners.size, chain.clock.timers]).toEqual([0, 0])
  })
})
