import type { Project } from '@wayleave/auth'
import { FakeClock } from '@wayleave/jsonrpc-core/testing'
import {
  createLimits,
  createMemoryAuthority,
  createPrices,
  createUsage,
  type LeasesOptions,
  type Limiter,
  type UsageRow,
} from '@wayleave/metering'
import { describe, expect, it } from 'vitest'
import { createMetering } from '../../src/metering/metering.ts'
import type { CallerPlans } from '../../src/metering/plans.ts'
import { principalOf } from '../support.ts'

const project: Project = { id: 'p', name: 'p', requireSecret: false }
const place = { network: 'mainnet', kind: 'evm', methods: new Set(['eth_call']) }
const daily = { perDay: { credits: 100 } }

function scene(plans: Record<string, CallerPlans>, maxKeys?: number, shared?: Omit<LeasesOptions, 'clock'>) {
  const clock = new FakeClock()
  const rows: UsageRow[] = []
  const refusals: string[] = []
  const asked: string[] = []
  const usage = createUsage({ clock, add: (some) => void rows.push(...some), flush: async () => {} })
  const metering = createMetering({
    prices: createPrices(),
    limits: createLimits({ clock, shared }),
    planOf({ keyId }) {
      asked.push(keyId)
      return plans[keyId] ?? {}
    },
    usage,
    metrics: { limited: (id, window) => void refusals.push(`${id} ${window}`) },
    ...(maxKeys !== undefined && { maxKeys }),
  })
  const callerOf = (keyId: string, of = project) => metering.callerOf({ ...principalOf(of), keyId }, place)
  return { clock, metering, usage, rows, refusals, asked, callerOf }
}

describe('metering', () => {
  it('reads the plan of a key once, and knows its limiter again', () => {
    const { callerOf, asked } = scene({ a: { key: daily } })
    const first = callerOf('a')!
    expect(callerOf('a')).toEqual(first)
    expect(callerOf('a')!.limiter).toBe(first.limiter)
    expect(callerOf('a')!.recorder).toBe(first.recorder)
    expect(asked).toEqual(['a'])
  })

  it('does not concern callers without a key', () => {
    const { callerOf } = scene({})
    expect(callerOf('')).toBeUndefined()
    expect(callerOf('a')!.limiter).toBeUndefined()
  })

  it('counts refusals by project and window', () => {
    const { callerOf, refusals } = scene({ a: { key: daily } })
    const { limiter } = callerOf('a')!
    expect(limiter!.admit('eth_call', '', 80)).toBeUndefined()
    expect(limiter!.admit('eth_call', '', 80)).toBeDefined()
    expect(refusals).toEqual(['p day'])
  })

  it('counts the refusals that stand once other processes were asked, and none of a call that then passes', async () => {
    const authority = createMemoryAuthority({ clock: new FakeClock() })
    const plans = { a: { key: { perDay: { credits: 400 } } } }
    const [one, other] = ['one', 'other'].map((process) =>
      scene(plans, undefined, { authority, process, share: () => 1 / 2 }),
    )
    async function admit({ admit: ask }: Limiter): Promise<string> {
      const refusal = ask('eth_call', '', 80)
      if (refusal?.reserve === undefined) return refusal === undefined ? 'passes' : 'refused'
      return (await refusal.reserve()) === undefined ? 'passes after a question' : 'refused after a question'
    }
    const limiter = one!.callerOf('a')!.limiter!
    expect(await admit(limiter)).toBe('passes after a question')
    const outcomes: string[] = []
    for (let i = 0; i < 4; i++) outcomes.push(await admit(other!.callerOf('a')!.limiter!))
    expect(outcomes.filter((outcome) => outcome.startsWith('refused'))).toEqual([])
    expect(one!.refusals).toEqual([])
    expect(await admit(limiter)).toBe('refused after a question')
    expect(one!.refusals).toEqual(['p day'])
  })

  it('forgets a revoked key with what it has spent, and keeps that of a changed one', () => {
    const { callerOf, metering } = scene({ a: { key: daily } })
    callerOf('a')!.limiter!.admit('eth_call', '', 80)
    metering.forget({ kind: 'changed', projectId: 'p', keyId: 'a' })
    expect(callerOf('a')!.limiter!.admit('eth_call', '', 80)).toBeDefined()
    metering.forget({ kind: 'revoked', projectId: 'p', keyId: 'a' })
    expect(callerOf('a')!.limiter!.admit('eth_call', '', 80)).toBeUndefined()
  })

  it('forgets all keys of a revoked project, and its own limits', () => {
    const plans = { project: daily }
    const { callerOf, metering, asked } = scene({ a: plans, b: plans })
    callerOf('a')!.limiter!.admit('eth_call', '', 80)
    callerOf('b')
    metering.forget({ kind: 'revoked', projectId: 'p', keyId: undefined })
    expect(callerOf('b')!.limiter!.admit('eth_call', '', 80)).toBeUndefined()
    callerOf('a')
    expect(asked).toEqual(['a', 'b', 'b', 'a'])
  })

  it('reads the plans anew once the project is another object', () => {
    const plans: Record<string, CallerPlans> = { a: {} }
    const { callerOf } = scene(plans)
    expect(callerOf('a')!.limiter).toBeUndefined()
    plans['a'] = { key: daily }
    expect(callerOf('a', { ...project })!.limiter).toBeDefined()
  })

  it('keeps meters of so many keys, and spent credits and counts of all', async () => {
    const { callerOf, usage, rows } = scene({ a: { key: daily } }, 2)
    const count = (keyId: string): void => callerOf(keyId)!.recorder!.count('eth_call', 200, 80)
    callerOf('a')!.limiter!.admit('eth_call', '', 80)
    for (const keyId of ['a', 'b', 'c', 'd', 'a', 'b']) count(keyId)
    expect(callerOf('a')!.limiter!.admit('eth_call', '', 80)).toBeDefined()
    await usage.close()
    const calls = Map.groupBy(rows, (row) => row.key)
    expect([...calls].map(([keyId, of]) => [keyId, of.reduce((sum, row) => sum + row.calls, 0)]).toSorted()).toEqual([
      ['a', 2],
      ['b', 2],
      ['c', 1],
      ['d', 1],
    ])
  })
})
