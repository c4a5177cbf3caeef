import { expect, test } from 'vitest'
import { type FeeBlock, type FeeHistory, wayleave } from '../../src/index.ts'

const { percentiles } = wayleave
const gwei = 1_000_000_000n

/** A block whose every percentile is `tip`. */
function flat(tip: bigint | undefined, baseFeePerGas = gwei): FeeBlock {
  return {
    number: 0,
    baseFeePerGas,
    gasUsedRatio: 0.5,
    rewards: tip === undefined ? undefined : percentiles.map(() => tip),
  }
}

function historyOf(blocks: readonly FeeBlock[], nextBaseFeePerGas = gwei): FeeHistory {
  return {
    percentiles,
    blocks: blocks.map((block, number) => ({ ...block, number })),
    nextBaseFeePerGas,
    blockTimeMs: 1_000,
  }
}

function tipsOf(blocks: readonly FeeBlock[]): bigint[] {
  const { low, medium, high } = wayleave.offers(historyOf(blocks))
  return [low, medium, high].map((offer) => offer.maxPriorityFeePerGas)
}

const calm = Array.from({ length: 60 }, () => flat(100n))

test('where prices stand still, each level offers that price', () => {
  expect(tipsOf(calm)).toEqual([100n, 100n, 100n])
})

test('tips are the stated ranks of what the last blocks paid', () => {
  // The last five are cheap, so the long looks decide: the 5th and 14th of 20, the 47th of 48.
  const shuffled = [
    30n,
    12n,
    48n,
    7n,
    21n,
    35n,
    44n,
    16n,
    9n,
    27n,
    39n,
    18n,
    47n,
    25n,
    33n,
    11n,
    42n,
    22n,
    14n,
    29n,
    46n,
  ]
  const rest = Array.from({ length: 48 }, (_, i) => BigInt(i + 1)).filter(
    (each) => each > 5n && !shuffled.includes(each),
  )
  const paid = [...rest, ...shuffled, 1n, 2n, 3n, 4n, 5n]
  expect(paid.length).toBe(48)
  const last = paid.slice(-20).toSorted((a, b) => Number(a - b))
  expect(tipsOf(paid.map((tip) => flat(tip)))).toEqual([last[4], last[13], 47n])
})

test('a rise is followed from its second block on', () => {
  const risen = (blocks: number): bigint[] => tipsOf([...calm, ...Array.from({ length: blocks }, () => flat(1_000n))])
  expect(risen(1)).toEqual([100n, 100n, 100n])
  // Until the rise has lasted for four blocks, it may be the begin of a climb.
  for (const blocks of [2, 3, 4]) expect(risen(blocks)).toEqual([1_500n, 1_500n, 1_500n])
  expect(risen(5)).toEqual([1_000n, 1_000n, 1_000n])
})

test('after a rise tips come down again, those of high last', () => {
  const spike = [...calm, ...Array.from({ length: 10 }, () => flat(1_000n))]
  const fallen = (blocks: number): bigint[] => tipsOf([...spike, ...Array.from({ length: blocks }, () => flat(100n))])
  expect(fallen(14)).toEqual([100n, 100n, 1_000n])
  expect(fallen(47)).toEqual([100n, 100n, 100n])
})

test('a climb that two of the last four blocks show goes on as it began, by a half at most', () => {
  const climb = (...tips: readonly bigint[]): bigint[] => tipsOf([...calm, ...tips.map((tip) => flat(tip))])
  const each = (tip: bigint): bigint[] => [tip, tip, tip]
  expect(climb(110n, 120n)).toEqual(each(145n))
  expect(climb(150n, 150n)).toEqual(each(226n))
  expect(climb(110n, 120n, 105n)).toEqual(each(145n))
  expect(climb(2_000n, 2_000n)).toEqual(each(3_000n))
  expect(climb(300n, 2_000n)).toEqual(each(600n))
})

test('once the highest tips are older than four blocks, a climb is over', () => {
  const after = (blocks: number): bigint[] =>
    tipsOf([...calm, ...Array.from({ length: 10 }, () => flat(1_000n)), ...calm.slice(-blocks)])
  expect(after(2)).toEqual([100n, 1_000n, 1_000n])
  expect(tipsOf([...calm, ...Array.from({ length: 10 }, () => flat(1_000n))])).toEqual([1_000n, 1_000n, 1_000n])
})

test('high keeps up with a climb of plateaus but for its begin and its widest step', () => {
  const stairs = [161, 161, 183, 183, 270, 270, 276, 395].map((tip) => flat(BigInt(tip) * gwei))
  const before = Array.from({ length: 40 }, () => flat(135n * gwei))
  const missed = stairs.flatMap(({ rewards }, i) => {
    const [, , high] = tipsOf([...before, ...stairs.slice(0, i)])
    return high! < rewards![0]! ? [i] : []
  })
  expect(missed).toEqual([0, 4])
})

test('one block of a whale changes nothing', () => {
  expect(tipsOf([...calm, flat(10n ** 15n)])).toEqual([100n, 100n, 100n])
  expect(tipsOf([...calm, flat(10n ** 15n), ...calm.slice(-10)])).toEqual([100n, 100n, 100n])
})

test('where blocks are empty, the least that anyone paid is offered, and 1 wei where nobody did', () => {
  const empty = Array.from({ length: 60 }, () => flat(0n))
  expect(tipsOf(empty)).toEqual([1n, 1n, 1n])
  expect(tipsOf([flat(70n), flat(50n), ...empty])).toEqual([50n, 50n, 50n])
})

test('blocks of which the node tells no rewards are passed over', () => {
  expect(tipsOf([...calm.slice(-20), ...Array.from({ length: 30 }, () => flat(undefined))])).toEqual([100n, 100n, 100n])
  expect(tipsOf([flat(undefined)])).toEqual([1n, 1n, 1n])
})

test('the first block of a history is enough, and what is known too little errs upward', () => {
  const known = (blocks: number): bigint[] => tipsOf(Array.from({ length: blocks }, () => flat(90n)))
  expect(known(1)).toEqual([90n, 270n, 270n])
  expect(known(2)).toEqual([90n, 180n, 180n])
  expect(known(9)).toEqual([90n, 110n, 110n])
  expect(known(10)).toEqual([90n, 90n, 90n])
})

test('with few blocks known, no level offers less than the node suggests', () => {
  const offers = (count: number, nodePriorityFeePerGas: bigint): bigint[] => {
    const { low, medium, high } = wayleave.offers({ ...historyOf(calm.slice(-count)), nodePriorityFeePerGas })
    return [low, medium, high].map((offer) => offer.maxPriorityFeePerGas)
  }
  expect(offers(1, 1_000n)).toEqual([1_000n, 1_000n, 1_000n])
  expect(offers(9, 110n)).toEqual([110n, 122n, 122n])
  expect(offers(10, 1_000n)).toEqual([100n, 100n, 100n])
})

test('of few blocks, low and medium take the middle one and high the dearest, each at a deeper percentile', () => {
  const block = (factor: bigint): FeeBlock => ({
    ...flat(0n),
    rewards: percentiles.map((each) => factor * BigInt(each)),
  })
  expect(tipsOf([block(1n), block(9n), block(3n)])).toEqual([90n, 225n, 750n])
  expect(tipsOf([block(5n), block(1n), block(3n)])).toEqual([90n, 200n, 416n])
})

test('max fees last for three, five and seven steps of an eighth', () => {
  const { low, medium, high } = wayleave.offers(historyOf(calm))
  const roomOf = (offer: typeof low): number => Number(offer.maxFeePerGas - offer.maxPriorityFeePerGas) / Number(gwei)
  expect(roomOf(low)).toBeCloseTo(1.125 ** 3, 6)
  expect(roomOf(medium)).toBeCloseTo(1.125 ** 5, 6)
  expect(roomOf(high)).toBeCloseTo(1.125 ** 7, 6)
})

test('on a chain whose base fee rises faster, the steps are larger, and at most a doubling', () => {
  const roomAfter = (from: bigint, to: bigint): number => {
    const { low } = wayleave.offers(historyOf([...calm.slice(-5), flat(100n, from)], to))
    return Number(low.maxFeePerGas - low.maxPriorityFeePerGas) / Number(to)
  }
  expect(roomAfter(gwei, (gwei * 3n) / 2n)).toBeCloseTo(1.5 ** 3, 6)
  expect(roomAfter(1n, gwei)).toBeCloseTo(8, 6)
})

test('base fees of a few wei rise by whole wei', () => {
  const { low } = wayleave.offers(historyOf([flat(1n, 7n)], 8n))
  expect(low.maxFeePerGas).toBe(1n + 11n + 3n)
  const { high } = wayleave.offers(historyOf([flat(1n, 0n)], 0n))
  expect(high.maxFeePerGas).toBe(3n + 7n)
})

/** A number from 0 up to 1, the same ones each time. */
function chance(seed: number): () => number {
  let state = seed
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return state / 2 ** 32
  }
}

/** A day of 60 blocks that stand still, a climb of 16 by plateaus to the eightfold, and the way down. */
const climb = [115, 115, 140, 140, 140, 190, 190, 205, 270, 270, 330, 460, 460, 460, 620, 800]
const stairs: readonly bigint[] = [
  ...Array<number>(60).fill(100),
  ...climb,
  ...Array<number>(14).fill(800),
  ...climb.filter((_, i) => i % 3 === 0).toReversed(),
].map((tip) => BigInt(tip))

/** A bell of twelve throws, with deviation 1. */
function bell(random: () => number): number {
  return Array.from({ length: 12 }, random).reduce((sum, each) => sum + each, -6)
}

/** How far the tips at a percentile lie from the median, as a factor's logarithm, in blocks of many transactions. */
const spread: Readonly<Record<number, number>> = { 10: -1.28, 25: -0.67, 30: -0.52, 40: -0.25, 50: 0, 95: 1.64 }

test.each<[string, (block: number, random: () => number) => FeeBlock]>([
  [
    'each block holds one transaction with a tip of its own',
    (_, random) => flat(BigInt(Math.round(1e9 * Math.exp(bell(random))))),
  ],
  [
    'every third block is empty',
    (_, random) => flat(random() < 0.33 ? 0n : BigInt(Math.round(1e9 * Math.exp(1.5 * bell(random))))),
  ],
  ['tips rise and fall by the double within an hour', (block, random) => wide(1e9 * 2 ** Math.sin(block / 50), random)],
  ['tips climb by stairs of one to three blocks', (block) => flat(stairs[block % stairs.length]!)],
  ['tips climb by 1 % a block, for 300 blocks', (block) => flat(BigInt(Math.round(1e9 * 1.01 ** (block % 300))))],
  [
    'the least tip that a chain without base fees takes rises twentyfold, and falls again',
    (block, random) => flat(BigInt((Math.floor(block / 500) % 2 === 0 ? 5e7 : 1e9) * (random() < 0.1 ? 0 : 1)), 0n),
  ],
  [
    'every 200 blocks a crowd pays tenfold for 30 blocks',
    (block, random) => wide(block % 200 < 30 ? 1e10 : 1e9, random),
  ],
])('the promises hold where %s', (_, make) => {
  const random = chance(7)
  const blocks = Array.from({ length: 3_000 }, (__, block) => make(block, random))
  const kept = { low: 0, medium: 0, high: 0 }
  const levels = ['low', 'medium', 'high'] as const
  for (let newest = 100; newest < 2_900; newest += 1) {
    const offers = wayleave.offers(historyOf(blocks.slice(newest - 99, newest + 1)))
    for (const level of levels) {
      const next = blocks.slice(newest + 1, newest + 1 + wayleave.promises![level].withinBlocks)
      if (next.some(({ rewards }) => offers[level].maxPriorityFeePerGas >= rewards![percentiles.indexOf(25)]!))
        kept[level] += 1
    }
  }
  for (const level of levels) {
    expect(kept[level] / 2_800, level).toBeGreaterThanOrEqual(wayleave.promises![level].probability)
  }
})

/** A block of many transactions around a median, which itself wavers. */
function wide(median: number, random: () => number): FeeBlock {
  const middle = median * Math.exp(0.3 * bell(random))
  return { ...flat(0n), rewards: percentiles.map((each) => BigInt(Math.round(middle * Math.exp(spread[each]!)))) }
}
