import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { cancellationOf, noncePlaceOf, replacementFees, type SuggestedGasFees } from '../../src/index.ts'

const gwei = 1_000_000_000n

interface Fees {
  readonly maxFeePerGas: bigint
  readonly maxPriorityFeePerGas: bigint
  readonly maxFeePerBlobGas?: bigint
}

/** A market whose medium offer is a tip of 3 gwei and room for 30, after a base fee of 20. */
const market = {
  fees: {
    estimatedBaseFee: '20',
    medium: { suggestedMaxPriorityFeePerGas: '3', suggestedMaxFeePerGas: '33' },
    high: { suggestedMaxPriorityFeePerGas: '5', suggestedMaxFeePerGas: '45' },
  } as SuggestedGasFees,
  blobs: { baseFeePerBlobGas: 7n, maxFeePerBlobGas: 10n },
}

/** Whether nodes take a replacement, by their sources. A legacy transaction names its price as both fees. */
const nodes: Readonly<Record<string, (old: Fees, next: Fees) => boolean>> = {
  // core/txpool/legacypool/list.go, core/txpool/blobpool/blobpool.go
  geth: (old, next) => {
    const percent = old.maxFeePerBlobGas === undefined ? 110n : 200n
    return pairsOf(old, next).every(([before, after]) => after > before && after >= (before * percent) / 100n)
  },
  // txnprovider/txpool/pool.go
  Erigon: (old, next) => {
    const percent = old.maxFeePerBlobGas === undefined ? 110n : 200n
    return pairsOf(old, next).every(([before, after]) => after >= (before * percent) / 100n)
  },
  // Nethermind.TxPool/Comparison: CompareReplacedTxByFee.cs, CompareReplacedBlobTx.cs
  Nethermind: (old, next) => {
    if (old.maxFeePerGas === 0n) return true
    if (old.maxFeePerBlobGas !== undefined) return pairsOf(old, next).every(([before, after]) => after >= before * 2n)
    const [room, tip] = [old.maxFeePerGas / 10n, old.maxPriorityFeePerGas / 10n]
    if (old.maxFeePerGas + room > next.maxFeePerGas) return false
    const least = old.maxPriorityFeePerGas + tip
    return least === next.maxPriorityFeePerGas ? room > 0n && tip > 0n : least < next.maxPriorityFeePerGas
  },
}

function pairsOf(old: Fees, next: Fees): readonly (readonly [bigint, bigint])[] {
  const names = ['maxFeePerGas', 'maxPriorityFeePerGas', 'maxFeePerBlobGas'] as const
  return names.flatMap((name) => (old[name] === undefined ? [] : [[old[name], next[name] ?? 0n] as const]))
}

const wei = fc.oneof(fc.bigInt({ min: 0n, max: 30n }), fc.bigInt({ min: 0n, max: 10n ** 15n }))
const pending = fc.tuple(wei, wei, fc.option(wei, { nil: undefined })).map(([tip, room, blob]): Fees => ({
  maxFeePerGas: tip + room,
  maxPriorityFeePerGas: tip,
  ...(blob === undefined ? {} : { maxFeePerBlobGas: blob }),
}))

describe('the fees of a replacement', () => {
  it.each(Object.entries(nodes))('are taken by %s', (_, takes) => {
    fc.assert(fc.property(pending, (old) => takes(old, replacementFees(old) as Fees)))
    fc.assert(fc.property(pending, (old) => takes(old, replacementFees(old, market) as Fees)))
  })

  /** Whether a node refuses each of the fees that replace `old` once it is 1 wei less. */
  function expectLeast(node: string, old: Fees): void {
    const next = replacementFees(old) as Fees
    for (const name of ['maxFeePerGas', 'maxPriorityFeePerGas', 'maxFeePerBlobGas'] as const) {
      if (next[name] === undefined) continue
      const isTaken = nodes[node]!(old, { ...next, [name]: next[name] - 1n })
      // A tip that nobody may offer without as much room says nothing of the room.
      if (name !== 'maxFeePerGas' || next.maxFeePerGas > next.maxPriorityFeePerGas) expect(isTaken).toBe(false)
    }
  }

  it('are the least: geth refuses each of them less 1 wei', () => {
    fc.assert(fc.property(pending, (old) => expectLeast('geth', old)))
  })

  it.each(['Erigon', 'Nethermind'])('are the least for %s, too, of fees of 10 wei or more', (node) => {
    fc.assert(
      fc.property(pending, ({ maxFeePerGas, maxPriorityFeePerGas, maxFeePerBlobGas }) => {
        const blob = maxFeePerBlobGas === undefined ? {} : { maxFeePerBlobGas: maxFeePerBlobGas + 10n }
        const fees = { maxFeePerGas: maxFeePerGas + 10n, maxPriorityFeePerGas: maxPriorityFeePerGas + 10n }
        expectLeast(node, { ...fees, ...blob })
      }),
    )
  })

  it('are 10 % more of both, the double of all with blobs, and 10 % more of a gas price', () => {
    const fees = { maxFeePerGas: 100n * gwei, maxPriorityFeePerGas: '0x3b9aca00' }
    expect(replacementFees(fees)).toEqual({ maxFeePerGas: 110n * gwei, maxPriorityFeePerGas: (11n * gwei) / 10n })
    expect(replacementFees({ ...fees, maxFeePerBlobGas: 5 })).toEqual({
      maxFeePerGas: 200n * gwei,
      maxPriorityFeePerGas: 2n * gwei,
      maxFeePerBlobGas: 10n,
    })
    expect(replacementFees({ gasPrice: 50n * gwei })).toEqual({ gasPrice: 55n * gwei })
    // A node shows a gas price beside the fees of a waiting transaction, too.
    expect(replacementFees({ ...fees, gasPrice: 7n })).toEqual(replacementFees(fees))
  })

  it('are those of the market where it asks for more, by each of them', () => {
    const low = { maxFeePerGas: 10n * gwei, maxPriorityFeePerGas: gwei }
    expect(replacementFees(low, market)).toEqual({ maxFeePerGas: 33n * gwei, maxPriorityFeePerGas: 3n * gwei })
    expect(replacementFees(low, { ...market, level: 'high' })).toEqual({
      maxFeePerGas: 45n * gwei,
      maxPriorityFeePerGas: 5n * gwei,
    })
    const tipping = { maxFeePerGas: 20n * gwei, maxPriorityFeePerGas: 10n * gwei }
    expect(replacementFees(tipping, market)).toEqual({ maxFeePerGas: 41n * gwei, maxPriorityFeePerGas: 11n * gwei })
    expect(replacementFees({ gasPrice: gwei }, market)).toEqual({ gasPrice: 23n * gwei })
    expect(replacementFees({ ...low, maxFeePerBlobGas: 1n }, market)).toMatchObject({ maxFeePerBlobGas: 10n })
  })

  it('are refused for a transaction that names none', () => {
    for (const fees of [{}, { maxFeePerGas: 1n }, { gasPrice: null }]) {
      expect(() => replacementFees(fees)).toThrow(expect.objectContaining({ code: 'malformed' }))
    }
  })
})

describe('a cancellation', () => {
  const from = `0x${'11'.repeat(20)}`

  it('sends nothing to its sender, with the same nonce and the fees of a replacement', () => {
    const fees = { maxFeePerGas: 100n, maxPriorityFeePerGas: 10n }
    expect(cancellationOf({ from, nonce: '0x7', ...fees })).toEqual({
      from,
      to: from,
      nonce: 7n,
      value: 0n,
      data: '0x',
      maxFeePerGas: 110n,
      maxPriorityFeePerGas: 11n,
    })
  })

  it('is refused for a blob transaction', () => {
    const fees = { maxFeePerGas: 100n, maxPriorityFeePerGas: 10n, maxFeePerBlobGas: 1n }
    expect(() => cancellationOf({ from, nonce: 7, ...fees })).toThrow(expect.objectContaining({ code: 'unsupported' }))
  })
})

describe('the place of a nonce', () => {
  it.each([
    [4, { state: 'used' }],
    [5, { state: 'waiting' }],
    [7, { state: 'waiting' }],
    [8, { state: 'next' }],
    [9, { state: 'gap', missing: [8, 8] }],
    [12, { state: 'gap', missing: [8, 11] }],
  ])('of nonce %d, where 5 are in blocks and 3 wait, is %o', (nonce, place) => {
    expect(noncePlaceOf(nonce, { latest: 5, pending: 8 })).toEqual(place)
  })

  it('counts from the blocks where a node tells of fewer that wait', () => {
    expect(noncePlaceOf(5, { latest: 5, pending: 3 })).toEqual({ state: 'next' })
  })
})
