import { FakeClock } from '@wayleave/jsonrpc-core/testing'
import { createSpend, type SpendLedger, type SpendOptions } from '@wayleave/upstream'
import { describe, expect, it } from 'vitest'
import { seeded } from '../simulation.ts'

function setUp(options: Omit<SpendOptions, 'clock'>) {
  const clock = new FakeClock(0)
  const spend = createSpend({ clock, ...options })
  return { clock, spend }
}

const day = 86_400_000
/** The fake clock's time at a date. */
const until = (date: string): number => Date.parse(date) - 1_700_000_000_000

/** A ledger that leaves so much, and notes what it is told. */
function ledgerOf(parts: { share: number; day: number; month: number }) {
  const added: number[] = []
  const ledger: SpendLedger = {
    add: (units) => void added.push(units),
    share: () => parts.share,
    left: (period, limit) => Math.min(limit, parts[period]),
  }
  return { added, ledger }
}

describe('a spend that several processes share', () => {
  it('has its share of each second', () => {
    const parts = { share: 0.25, day: 1_000, month: 1_000 }
    const { added, ledger } = ledgerOf(parts)
    const { spend } = setUp({ perSecond: 100, ledger })
    let calls = 0
    for (; spend.affords('eth_call', 0); calls++) spend.begin('eth_call', 0)
    expect(calls).toBe(25)
    expect(added).toEqual([0, ...Array.from({ length: 25 }, () => 1)])
    parts.share = 0.5
    for (; spend.affords('eth_call', 0); calls++) spend.begin('eth_call', 0)
    expect(calls).toBe(50)
    parts.share = 0
    expect(spend.affords('eth_call', 60_000)).toBe(false)
  })

  it.each(['day', 'month'] as const)(
    'has what the others leave of a %s, and is spent below its cheapest call',
    (period) => {
      const parts = { share: 0.5, day: 1_000, month: 1_000, [period]: 30 }
      const { ledger } = ledgerOf(parts)
      const { spend } = setUp({ perDay: 2_000, perMonth: 2_000, prices: { '*': 20, eth_call: 31 }, ledger })
      expect([spend.affords('eth_call', 0), spend.affords('eth_chainId', 0), spend.isSpent(0)]).toEqual([
        false,
        true,
        false,
      ])
      parts[period] = 0.5
      expect(spend.isSpent(0)).toBe(true)
      parts[period] = 0
      expect(setUp({ ledger }).spend.isSpent(0)).toBe(false)
    },
  )
})

describe('a spend', () => {
  it('counts calls by their price, 1 where there is none', () => {
    const { spend } = setUp({ prices: { eth_call: 26, 'debug_*': 500 } })
    for (const method of ['eth_call', 'debug_traceCall', 'eth_chainId']) spend.begin(method, 0)
    expect(spend.spent(0)).toMatchObject({ day: 527, month: 527 })
  })

  it('never has more units in any second than the limit', () => {
    const { spend } = setUp({ perSecond: 100 })
    const random = seeded(3)
    const sent: number[] = []
    for (let now = 0; now < 20_000; now += random() * 5) {
      if (!spend.affords('eth_call', now)) continue
      spend.begin('eth_call', now)
      sent.push(now)
    }
    const most = Math.max(...sent.map((from) => sent.filter((at) => at >= from && at < from + 1_000).length))
    expect(most).toBe(100)
    expect(sent.length).toBeGreaterThan(20 * 90)
    expect(spend.isSpent(20_000)).toBe(false)
  })

  it('lets a call dearer than a second pass when nothing else does', () => {
    const { spend } = setUp({ perSecond: 10, prices: { eth_getLogs: 75 } })
    expect(spend.affords('eth_getLogs', 0)).toBe(true)
    spend.begin('eth_chainId', 0)
    expect(spend.affords('eth_getLogs', 500)).toBe(false)
    expect(spend.affords('eth_getLogs', 1_100)).toBe(true)
  })

  it('is spent before the limit of a day is passed, until midnight UTC', () => {
    const { clock, spend } = setUp({ perDay: 100, prices: { eth_call: 30 } })
    clock.advance(until('2024-02-28T12:00:00Z'))
    const now = clock.now()
    for (let i = 0; i < 3; i++) spend.begin('eth_call', now)
    expect(spend.affords('eth_call', now)).toBe(false)
    expect(spend.isSpent(now)).toBe(false)
    for (let i = 0; i < 10; i++) spend.begin('eth_chainId', now)
    expect(spend.isSpent(now)).toBe(true)
    clock.advance(day / 2 - 1)
    expect(spend.isSpent(clock.now())).toBe(true)
    clock.advance(10_001)
    expect(spend.isSpent(clock.now())).toBe(false)
    expect(spend.spent(clock.now())).toMatchObject({ day: 0, month: 100 })
  })

  it.each([
    ['2024-02-29T23:59:00Z', '2024-03-01T00:01:00Z', 0],
    ['2024-02-28T23:59:00Z', '2024-02-29T00:01:00Z', 7],
    ['2023-12-31T23:59:00Z', '2024-01-01T00:01:00Z', 0],
    ['2024-03-01T00:01:00Z', '2024-03-31T23:59:00Z', 7],
    ['2024-03-01T00:01:00Z', '2025-03-01T00:01:00Z', 0],
  ])('counts by calendar months: from %s to %s, %i are left', (from, to, left) => {
    const { clock, spend } = setUp({ perMonth: 7 })
    clock.advance(until(from))
    for (let i = 0; i < 7; i++) spend.begin('eth_call', clock.now())
    clock.advance(until(to) - clock.now())
    expect(spend.spent(clock.now()).month).toBe(left)
    expect(spend.isSpent(clock.now())).toBe(left === 7)
  })

  it('goes on where an earlier process has stopped, on the same day', () => {
    const date = 1_700_000_000_000
    expect(setUp({ perDay: 10, spent: { day: 10, month: 10, date: date - 1_000 } }).spend.isSpent(0)).toBe(true)
    expect(setUp({ perDay: 10, spent: { day: 10, month: 10, date: date - day } }).spend.isSpent(0)).toBe(false)
  })

  it('refuses limits and prices that are none', () => {
    expect(() => setUp({ perDay: -1 })).toThrow('budget.perDay must be a number from 0 up, but is -1')
    expect(() => setUp({ prices: { eth_call: Number.NaN } })).toThrow("budget.prices['eth_call'] must be")
  })
})
