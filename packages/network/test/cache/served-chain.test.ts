import { createLog } from '@wayleave/telemetry'
import { rawJsonFromValue } from '@wayleave/jsonrpc-core'
import { FakeClock } from '@wayleave/jsonrpc-core/testing'
import type { HeadUpdate, Position } from '@wayleave/upstream'
import { describe, expect, it } from 'vitest'
import { networkKinds } from '../../src/kinds/index.ts'
import { createServedChain, type ServedChainOptions } from '../../src/cache/served-chain.ts'
import { createRewrittenChains } from '@wayleave/network'

const hashOf = (number: number): string => `0x${number.toString(16).padStart(64, '0')}`

/** The chain of a cache over a view that tells heads as a test says. */
function createScene(blockTimeMs: number) {
  const clock = new FakeClock()
  let listener = (_update: HeadUpdate): void => {}
  let head: Position | undefined
  const view = {
    blockTimeMs,
    wanted() {},
    watch(own: typeof listener) {
      listener = own
      return () => {}
    },
  }
  const chain = createServedChain({
    chain: { view, headToPin: () => head, pollSoon() {} } as unknown as ServedChainOptions['chain'],
    reader: networkKinds.evm.heads('0x1'),
    life: {
      rewritten: createRewrittenChains(createLog({ level: 'silent' }), { chainsReplaced: () => ({ add() {} }) }).of(
        'mainnet',
        'mainnet:1',
      ),
      written: new Set(),
    },
    hashAt: async () => undefined,
    clock,
  })
  return {
    clock,
    chain,
    height: () => chain.headsFor(undefined).head?.number,
    /** Tells a head that was made so many ms ago; undefined: its header, or its time, is not told. */
    report(number: number, agoMs: number | undefined, hasHeader = true, below = number - 1) {
      head = { number, hash: hashOf(number) }
      const timestamp = agoMs === undefined ? undefined : `0x${Math.floor((clock.date() - agoMs) / 1_000).toString(16)}`
      const header = {
        number: `0x${number.toString(16)}`,
        hash: hashOf(number),
        parentHash: hashOf(below),
        timestamp,
      }
      listener({ kind: 'new', at: head, header: hasHeader ? rawJsonFromValue(header) : undefined } as HeadUpdate)
    },
  }
}

describe('the head that answers are kept for', () => {
  it('is as old as its arrival, whatever the time of its block', () => {
    const { clock, report, height } = createScene(2_000)
    for (const [number, agoMs] of [
      [100, 90_000],
      [101, 0],
      [102, -3_600_000],
      [103, undefined],
    ] as const) {
      report(number, agoMs)
      clock.advance(30_000)
      expect(height()).toBe(number)
      clock.advance(1)
      expect(height()).toBeUndefined()
    }
    report(104, 0, false)
    expect(height()).toBe(104)
  })

  it('may be as old as ten blocks where they are slow', () => {
    const { clock, report, height, chain } = createScene(12_000)
    report(100, 0)
    clock.advance(120_000)
    expect([height(), chain.head?.height]).toEqual([100, 100])
    clock.advance(1)
    expect([height(), chain.head]).toEqual([undefined, undefined])
  })
})

describe('the hashes of blocks', () => {
  it('are none at a height without a block', () => {
    const { report, chain } = createScene(12_000)
    for (const [number, below] of [
      [100, 97],
      [101, 100],
      [103, 101],
      [104, 103],
      [108, 104],
      // Heads between were missed.
      [115, 113],
    ] as const) {
      report(number, 0, true, below)
      const known = Array.from({ length: 20 }, (_, i) => 96 + i).filter((height) => chain.hashAt(height) !== undefined)
      expect(known.filter((height) => [98, 99, 102, 105, 106, 107, 112, 114].includes(height))).toEqual([])
      expect(chain.hashAt(number)).toBe(hashOf(number))
      if (number < 115 && number > 101) expect(chain.hashAt(below)).toBe(hashOf(below))
    }
  })

  it('are those of parents right below heads of which some were missed', () => {
    const { report, chain } = createScene(250)
    report(100, 0)
    report(104, 0)
    expect([chain.hashAt(103), chain.hashAt(104)]).toEqual([hashOf(103), hashOf(104)])
  })
})
