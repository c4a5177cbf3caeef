import { type NamedProject, type Config, createLog } from '@wayleave/gateway'
import { sha256Hex } from '@wayleave/auth'
import { FakeClock } from '@wayleave/jsonrpc-core/testing'
import type { Limiter, Plan, UsageQuery, UsageSum } from '@wayleave/metering'
import type { UsageStore } from '@wayleave/stores'
import { expect, it, onTestFinished } from 'vitest'
import { accountsOf } from '../../src/config/accounts.ts'
import { openMetering } from '../../src/metering/open-metering.ts'
import type { LimitedAccount } from '../../src/accounts/stored-limits.ts'
import { createMetrics } from '../../src/telemetry/metrics.ts'
import { principalOf } from '../support.ts'

const key = 'the-one-key-of-the-shop'
const place = { network: 'mainnet', kind: 'evm', methods: new Set(['eth_call']) }

/** A gateway's metering of one key, whose store of usage says by method what was spent. */
async function scene(plan: Plan | undefined, limits: Config['limits'] = {}) {
  const clock = new FakeClock()
  const spent = new Map<string, number>()
  const marks: number[] = []
  const lines: string[] = []
  const write = (line: string): void => void lines.push((JSON.parse(line) as { msg: string }).msg)
  const stored: LimitedAccount[] = []
  let answering: Promise<void> = Promise.resolve()
  const store: UsageStore = {
    add: async () => {},
    lastSeq: async () => undefined,
    prune: async () => {},
    async query({ by, where }: UsageQuery): Promise<readonly UsageSum[]> {
      await answering
      if (by[0] === 'method') return [...spent].map(([method, credits]) => ({ method, calls: 1, credits }))
      const credits = [...spent.values()].reduce((sum, each) => sum + each, 0)
      return [{ ...(by[0] === 'key' && { key: where?.key ?? keyId }), calls: 1, credits }]
    },
  }
  const configOf = (next: Plan | undefined, nextLimits = limits): Config =>
    ({ networks: {}, plans: next && { small: next }, limits: nextLimits }) as Config
  const projectsOf = (next: Plan | undefined, disabled = false): readonly NamedProject[] => [
    { id: 'shop', name: 'shop', keys: [{ key, disabled, ...(next && { plan: 'small' }) }] },
  ]
  const keyId = accountsOf(projectsOf(plan), sha256Hex).keys[0]!.id
  const metrics = createMetrics()
  const metering = await openMetering(configOf(plan), {
    projects: projectsOf(plan),
    accounts: accountsOf(projectsOf(plan), sha256Hex),
    stored: {
      limitsOf: ({ keyId: id }) => {
        const found = stored.find((each) => each.id === id)
        return found && { key: found.limits, project: undefined }
      },
      limits: { version: 0, all: () => stored },
    },
    store,
    newId: () => 'an-id',
    clock,
    log: createLog({ level: 'info', destination: { write } }),
    metrics: { ...metrics, quotaMarks: (...[, , mark]) => ({ add: () => void marks.push(Number(mark)) }) },
  })
  onTestFinished(() => metering.close())
  const prepare = (next: Plan | undefined, disabled = false, signal?: AbortSignal, nextLimits?: Config['limits']) => {
    const projects = projectsOf(next, disabled)
    return metering.prepare(
      structuredClone(configOf(next, nextLimits)),
      projects,
      accountsOf(projects, sha256Hex),
      signal,
    )
  }
  const limiter = (): Limiter => {
    const principal = { ...principalOf({ id: 'shop', name: 'shop', requireSecret: false }), keyId }
    return metering.callerOf(principal, place)!.limiter!
  }
  return {
    clock,
    spent,
    marks,
    metrics,
    lines,
    stored,
    metering,
    keyId,
    prepare,
    limiter,
    reload: async (next: Plan | undefined, disabled?: boolean) => (await prepare(next, disabled))(),
    /** Makes calls of 100 credits until one is refused, at most 50; returns how many were admitted. */
    calls(most = 50, method = 'eth_call') {
      let count = 0
      while (count < most && limiter().admit(method, 'visitor', 100) === undefined) count++
      return count
    },
    hold: () => {
      answering = new Promise(() => {})
    },
  }
}

const daily = { perDay: { credits: 1_000 } }

it('what was spent counts once where a plan is taken away and comes back', async () => {
  const { calls, spent, reload } = await scene(daily)
  expect(calls(4)).toBe(4)
  spent.set('eth_call', 400)
  await reload(undefined)
  await reload(daily)
  expect(calls()).toBe(6)
})

it('what was spent counts once where a reload was given up', async () => {
  const { calls, spent, prepare, reload } = await scene(undefined)
  spent.set('eth_call', 400)
  for (let i = 0; i < 3; i++) await prepare(daily)
  await reload(daily)
  expect(calls()).toBe(6)
})

it('a limit that a plan gains begins with what was spent, also that of methods', async () => {
  const { calls, spent, reload } = await scene({ perSecond: { credits: 100_000 } })
  spent.set('eth_call', 400).set('eth_getCode', 300)
  await reload({ perSecond: { credits: 100_000 }, perMonth: { credits: 2_000 } })
  expect(calls()).toBe(13)
  await reload({ methods: { 'eth_get*': { perDay: { credits: 1_000 } } } })
  expect(calls(50, 'eth_getBalance')).toBe(7)
})

it('a key that was disabled comes back with what it has spent', async () => {
  const { calls, spent, metering, keyId, reload } = await scene(daily)
  expect(calls()).toBe(10)
  spent.set('eth_call', 1_000)
  await reload(daily, true)
  metering.forget({ kind: 'revoked', projectId: 'shop', keyId })
  await reload(daily)
  expect(calls()).toBe(0)
})

it('a key that the store has from now on goes on with what it has spent', async () => {
  const { spent, stored, metering, keyId, limiter } = await scene(daily)
  spent.set('eth_call', 800)
  stored.push({ scope: 'key', id: keyId, projectId: 'shop', limits: daily })
  const adopt = await metering.prepare({ networks: {} } as Config, [], { seq: 0, projects: [], keys: [] })
  metering.forget({ kind: 'revoked', projectId: 'shop', keyId })
  adopt()
  expect(limiter().fields('eth_call', 'visitor')!.limit).toContain('r=200')
})

it('visitors are told apart by /64, or as `limits.visitorPrefix` says, also after a reload', async () => {
  const plan = { perVisitor: { perDay: { credits: 100 } } }
  const admits = (limiter: Limiter, address: string) => limiter.admit('eth_call', address, 100) === undefined
  const usual = await scene(plan)
  const of = ['2001:db8:0:100::1', '2001:db8:0:100::2', '2001:db8:0:1ff::1', '2001:db8:0:200::1']
  expect(of.map((address) => admits(usual.limiter(), address))).toEqual([true, false, true, true])
  const wide = await scene(plan, { visitorPrefix: 56 })
  expect(of.map((address) => admits(wide.limiter(), address))).toEqual([true, false, false, true])
  const narrow = await wide.prepare(plan, false, undefined, { visitorPrefix: 64 })
  narrow()
  expect(of.map((address) => admits(wide.limiter(), address))).toEqual([true, false, true, true])
})

it('of 30,000 visitors of as many networks each passes once; those that are forgotten are told in the log and a metric', async () => {
  const { limiter, lines, metrics } = await scene({ perVisitor: { perDay: { credits: 100 } } })
  const { admit } = limiter()
  let refused = 0
  for (let i = 0; i < 30_000; i++) if (admit('eth_call', `2001:db8:${i.toString(16)}::1`, 100) !== undefined) refused++
  expect(refused).toBe(0)
  expect(metrics.print()).toMatch(/^wayleave_limits_forgotten_total\{part="visitor"\} 20000$/m)
  expect(lines).toEqual([expect.stringMatching(/^there are more visitors than are remembered/)])
})

it('a plan that stays the same tells no mark again, and goes on for its visitors', async () => {
  const { calls, marks, reload } = await scene({ ...daily, perVisitor: { perDay: { credits: 900 } } })
  expect(calls()).toBe(9)
  expect(marks).toEqual([75, 85])
  await reload({ ...daily, perVisitor: { perDay: { credits: 900 } } })
  expect(calls()).toBe(0)
  expect(marks).toEqual([75, 85])
})

it('a store that does not answer keeps a reload waiting for half a minute, and the end of the gateway not at all', async () => {
  const { clock, prepare, hold, calls, lines } = await scene(undefined)
  hold()
  const waiting = prepare(daily)
  clock.advance(30_000)
  ;(await waiting)()
  expect(calls()).toBe(10)
  const unread = (): readonly string[] => lines.filter((line) => line.includes('could not be read'))
  const line =
    'what keys and projects have spent could not be read; their quotas go on from what this process has counted'
  expect(unread()).toEqual([line])
  const ending = new AbortController()
  const last = prepare({ perDay: { credits: 2_000 } }, false, ending.signal)
  ending.abort()
  expect(await last).toBeTypeOf('function')
  expect(unread()).toEqual([line])
})
