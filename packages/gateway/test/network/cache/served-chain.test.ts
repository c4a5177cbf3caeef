import { rawJsonFromValue } from '@wayleave/jsonrpc-core'
import { FakeClock } from '@wayleave/jsonrpc-core/testing'
import type { HeadUpdate, Position } from '@wayleave/upstream'
import { describe, expect, it } from 'vitest'
import { networkKinds } from '../../../src/networks/index.ts'
import { createLog } from '../../../src/telemetry/log.ts'
import { createServedChain, type ServedChainOptions } from '../../../src/network/cache/served-chain.ts'
import { createRewrittenChains } from '../../../src/network/rewritten-chains.ts'

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
      rewritten: createRewrittenChains(createLog({ level: 'silent' }), false).of('mainnet', 'mainnet:1'),
      written: new Set(),
    },
    clock,
  })
  return {
    clock,
    chain,
    height: () => chain.headsFor(undefined).head?.number,
    /** Tells a head that was made so many ms ago; undefined: its header, or its time, is not told. */
    tell(number: number, agoMs: number | undefined, hasHeader = true) {
      head = { number, hash: hashOf(number) }
      const timestamp = agoMs === undefined ? undefined : `0x${Math.floor((clock.date() - agoMs) / 1_000).toString(16)}`
      const header = {
        number: `0x${number.toString(16)}`,
        hash: hashOf(number),
        parentHash: hashOf(number - 1),
        timestamp,
      }
      listener({ kind: 'new', at: head, header: hasHeader ? rawJsonFromValue(header) : undefined } as HeadUpdate)
    },
  }
}

describe('the head that answers are kept for', () => {
  it('is as old as its block, not as its arrival', () => {
    const { clock, tell, height } = createScene(2_000)
    tell(100, 31_000)
    expect(height()).toBeUndefined()
    tell(101, 20_000)
    expect(height()).toBe(101)
    clock.advance(9_000)
    expect(height()).toBe(101)
    clock.advance(2_000)
    expect(height()).toBeUndefined()
    tell(102, 0)
    expect(height()).toBe(102)
  })

  it('may be as old as ten blocks where they are slow', () => {
    const { clock, tell, height, chain } = createScene(12_000)
    tell(100, 100_000)
    expect([height(), chain.head?.height]).toEqual([100, 100])
    clock.advance(19_000)
    expect(height()).toBe(100)
    clock.advance(2_000)
    expect([height(), chain.head]).toEqual([undefined, undefined])
  })

  it.each([
    ['that is of a time to come', -3_600_000, true],
    ['whose time nobody told', undefined, true],
    ['of which only the hash was told', 0, false],
  ] as const)('is as old as its arrival for a block %s', (_what, agoMs, hasHeader) => {
    const { clock, tell, height } = createScene(2_000)
    tell(100, agoMs, hasHeader)
    clock.advance(30_000)
    expect(height()).toBe(100)
    clock.advance(1)
    expect(height()).toBeUndefined()
  })
})
