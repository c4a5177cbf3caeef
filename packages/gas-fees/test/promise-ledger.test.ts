import { describe, expect, it, onTestFinished } from 'vitest'
import {
  createFeeSource,
  createPromiseLedger,
  type FeeBlock,
  type FeeOffer,
  type FeeStrategy,
  judgePromise,
  metamask,
  offerOf,
  type PromiseLedger,
  wayleave,
} from '../src/index.ts'
import { settle, SimulatedChain } from './simulated-chain.ts'

const gwei = 1_000_000_000n
const { percentiles } = wayleave
const promises = {
  low: { withinBlocks: 3, probability: 0.9 },
  medium: { withinBlocks: 2, probability: 0.95 },
  high: { withinBlocks: 1, probability: 0.95 },
}
/** Offers a base fee of 10 gwei and a tip of 2, at every level. */
const fixed: FeeStrategy = {
  name: 'fixed',
  promises,
  window: 200,
  percentiles,
  offers: () => ({ low: offer(12, 2), medium: offer(12, 2), high: offer(12, 2) }),
}

function offer(max: number, tip: number): FeeOffer {
  return { maxFeePerGas: BigInt(max) * gwei, maxPriorityFeePerGas: BigInt(tip) * gwei }
}

/** The base fee and the tip that all gas of a block paid, in gwei; no tip: the node did not tell. */
type Asked = readonly [baseFee: number, tip: number | undefined]

function block(number: number, [baseFee, tip]: Asked): FeeBlock {
  const rewards = tip === undefined ? undefined : percentiles.map(() => BigInt(tip) * gwei)
  return { number, baseFeePerGas: BigInt(baseFee) * gwei, gasUsedRatio: 0.5, rewards }
}

/** The answer at the end of blocks that begin with `first`. */
function answerAfter(asked: readonly Asked[], first: number, fork = 'a'): Parameters<PromiseLedger['take']>[0] {
  const blocks = asked.map((each, i) => block(first + i, each))
  const { number, baseFeePerGas } = blocks.at(-1)!
  const history = { percentiles, blocks, nextBaseFeePerGas: baseFeePerGas, blockTimeMs: 12_000 }
  return { blockNumber: number, blockHash: `${fork}${number}`, blockDate: number * 12_000, history }
}

/** A ledger that follows a chain of the fixed offers. */
function follow() {
  const ledger = createPromiseLedger(fixed)
  let chain: Asked[] = []
  let marks: { number: number; hash: string }[] = []
  return {
    ledger,
    /** Adds blocks, one answer each. */
    add(asked: readonly Asked[], fork = 'a') {
      for (const each of asked) {
        chain.push(each)
        const answer = answerAfter(chain, 0, fork)
        marks.push({ number: answer.blockNumber, hash: answer.blockHash })
        ledger.take(answer, marks)
      }
    },
    /** Takes the last blocks away; the ledger hears of it with the next one. */
    drop(count: number) {
      chain = chain.slice(0, -count)
      marks = marks.slice(0, -count)
    },
  }
}

const taken: Asked = [10, 1]
const dear: Asked = [10, 5]
const beyond: Asked = [20, 0]

describe('a promise', () => {
  const at = percentiles.indexOf(25)
  const within = { withinBlocks: 3 }
  const judge = (asked: readonly Asked[], own = offer(12, 2)) =>
    judgePromise(
      own,
      within,
      asked.map((each, i) => block(i, each)),
      at,
    )

  it('is kept by the first block whose base fee and quarter of tips the offer reaches', () => {
    expect(judge([dear, taken])).toBe('kept')
    expect(judge([[10, 2]])).toBe('kept')
    // A base fee of 11 gwei leaves 1 of 12 for the tip.
    expect(judge([[11, 1]])).toBe('kept')
    expect(judge([[11, 2]])).toBe('pending')
    // Nobody competes for an empty block.
    expect(judge([[12, 0]])).toBe('kept')
  })

  it('is broken once all of its blocks have gone by without one, and not before', () => {
    expect(judge([])).toBe('pending')
    expect(judge([dear, beyond])).toBe('pending')
    expect(judge([dear, beyond, dear])).toBe('broken')
    expect(judge([dear, beyond, dear, taken])).toBe('broken')
  })

  it('is judged by no block that did not tell its tips, unless its base fee alone decides', () => {
    expect(judge([[10, undefined], dear, dear])).toBe('unknown')
    expect(judge([[10, undefined], dear, taken])).toBe('kept')
    expect(judge([[20, undefined], dear, dear])).toBe('broken')
    expect(judgePromise(offer(12, 2), within, undefined, at)).toBe('unknown')
  })
})

describe('a ledger of promises', () => {
  it('counts what was kept, broken and is still open, by level', () => {
    const { ledger, add } = follow()
    add([taken])
    expect(ledger.tallies()).toEqual({
      low: { kept: 0, broken: 0, pending: 1 },
      medium: { kept: 0, broken: 0, pending: 1 },
      high: { kept: 0, broken: 0, pending: 1 },
    })
    add([dear, dear, taken, dear])
    // Of offers after blocks 0 to 4: block 3 included those that could wait for it.
    expect(ledger.tallies()).toEqual({
      low: { kept: 3, broken: 0, pending: 2 },
      medium: { kept: 2, broken: 1, pending: 2 },
      high: { kept: 1, broken: 3, pending: 1 },
    })
  })

  it('tells the offers of each block, and since when there were any', () => {
    const { ledger, add } = follow()
    expect([ledger.since, ledger.blocks]).toEqual([undefined, []])
    add([taken, dear])
    expect(ledger.since).toBe(0)
    const offers = { low: offer(12, 2), medium: offer(12, 2), high: offer(12, 2) }
    expect(ledger.blocks).toEqual([
      { number: 0, hash: 'a0', date: 0, baseFeePerGas: 10n * gwei, offers },
      { number: 1, hash: 'a1', date: 12_000, baseFeePerGas: 10n * gwei, offers },
    ])
  })

  it('judges by the blocks that replaced others, and forgets offers of the replaced ones', () => {
    const { ledger, add, drop } = follow()
    add([taken, dear, dear, dear])
    expect(ledger.tallies()!.low).toEqual({ kept: 0, broken: 1, pending: 3 })
    drop(3)
    add([taken, taken], 'b')
    expect(ledger.blocks.map(({ hash }) => hash)).toEqual(['a0', 'b1', 'b2'])
    expect(ledger.tallies()!.low).toEqual({ kept: 2, broken: 0, pending: 1 })
  })

  it('forgets the offers above a head that went back, and takes one answer of a block once', () => {
    const { ledger, add, drop } = follow()
    add([taken, taken, taken])
    drop(2)
    add([dear], 'b')
    expect(ledger.blocks.map(({ hash }) => hash)).toEqual(['a0', 'b1'])
    ledger.take(answerAfter([taken, dear], 0, 'b'), [{ number: 1, hash: 'b1' }])
    expect(ledger.blocks.map(({ hash }) => hash)).toEqual(['a0', 'b1'])
    expect(ledger.tallies()!.high).toEqual({ kept: 0, broken: 1, pending: 1 })
  })

  it('keeps the offers of 300 blocks, and the counts of all', () => {
    const { ledger, add } = follow()
    add(Array.from({ length: 1_000 }, (_, i) => (i % 2 === 0 ? taken : dear)))
    expect(ledger.blocks).toHaveLength(300)
    expect(ledger.tallies()).toEqual({
      low: { kept: 998, broken: 0, pending: 2 },
      medium: { kept: 998, broken: 0, pending: 2 },
      high: { kept: 499, broken: 500, pending: 1 },
    })
  })

  it('counts nowhere an offer whose blocks it never heard of', () => {
    const ledger = createPromiseLedger(fixed)
    ledger.take(answerAfter([taken], 10), [{ number: 10, hash: 'a10' }])
    // The source began anew, 600 blocks later.
    ledger.take(answerAfter([taken, taken], 610), [{ number: 611, hash: 'a611' }])
    expect(ledger.tallies()!.low).toEqual({ kept: 0, broken: 0, pending: 1 })
    expect(ledger.blocks.map(({ number }) => number)).toEqual([10, 611])
  })

  it('goes on after a chain that began anew', () => {
    const { ledger, add, drop } = follow()
    add(Array.from({ length: 200 }, () => taken))
    drop(200)
    add(
      Array.from({ length: 3 }, () => taken),
      'b',
    )
    expect(ledger.blocks.map(({ hash }) => hash)).toEqual(['b0', 'b1', 'b2'])
    const { kept, pending } = ledger.tallies()!.high
    // Final before: those whose last block is 64 behind the head.
    expect([kept, pending]).toEqual([133 + 2, 1])
  })

  it('judges nothing of a strategy that promises nothing, and refuses one that does not read what the judge reads', () => {
    const ledger = createPromiseLedger(metamask)
    expect(ledger.tallies()).toBeUndefined()
    const wrong = { ...wayleave, percentiles: [10, 50, 95] }
    expect(() => createPromiseLedger(wrong)).toThrow(expect.objectContaining({ code: 'missing_percentiles' }))
  })
})

describe('a source with a ledger', () => {
  it('has it judge each block and its replacement, and asks the node no more for that', async () => {
    const asked: Record<string, string[]> = {}
    for (const has of ['ledger', 'none']) {
      const chain = new SimulatedChain()
      chain.pushes = true
      const ledger = has === 'ledger' ? createPromiseLedger(wayleave) : undefined
      const source = createFeeSource({ handler: chain.handler, clock: chain.clock, ledger })
      onTestFinished(() => source.close())
      await source.current()
      for (let i = 0; i < 20; i++) {
        chain.mine()
        await settle()
      }
      chain.reorganise(7, 8)
      await settle()
      asked[has] = chain.calls
      if (ledger === undefined) continue
      // Of the replacement the source heard one head, the last.
      const hashes = chain.blocks.map(({ hash }) => hash)
      expect(ledger.blocks.map(({ hash }) => hash)).toEqual([...hashes.slice(599, 613), hashes.at(-1)])
      const { kept, broken, pending } = ledger.tallies()!.high
      expect([kept + broken, pending]).toEqual([14, 1])
      expect(ledger.since).toBe(chain.blocks[599]!.timestamp * 1_000)
      const reading = source.peek()
      const fees = reading?.state === 'ready' ? reading.answer.fees : expect.unreachable()
      expect(ledger.blocks.at(-1)!.offers.medium).toEqual(offerOf(fees, 'medium'))
    }
    expect(asked['ledger']).toEqual(asked['none'])
  })

  it('peeks without following, and without going on to follow', async () => {
    const chain = new SimulatedChain()
    const source = createFeeSource({ handler: chain.handler, clock: chain.clock, idleMs: 60_000 })
    onTestFinished(() => source.close())
    expect(source.peek()).toBeUndefined()
    await settle()
    expect(chain.calls).toEqual([])
    const reading = await source.current()
    expect(source.peek()).toEqual(reading)
    for (let i = 0; i < 10; i++) {
      chain.mine()
      source.peek()
      await settle()
    }
    expect(source.peek()).toBeUndefined()
  })
})
