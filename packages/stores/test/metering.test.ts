import { mkdtempSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { systemClock } from '@wayleave/jsonrpc-core'
import {
  createLimits,
  createMemoryAuthority,
  createSpool,
  createUsage,
  type KnownSpent,
  type LimitAuthority,
  type Plan,
} from '@wayleave/metering'
import { openSpoolFile } from '@wayleave/metering/node'
import { openRedis, openStores, type StoresOptions, type UsageStore } from '@wayleave/stores'
import { createClient } from '@redis/client'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { freshDatabase, missingPostgres } from './postgres-server.ts'
import { missingRedis, type RedisServer, startRedis } from './redis-server.ts'

const isOptional = process.env['REQUIRE_SERVICES'] === undefined

/** Passes questions on, and notes what was granted under each id. Loses every third answer, if told so. */
function noting(authority: LimitAuthority, granted: Map<string, Map<string, number>>, loses: boolean): LimitAuthority {
  let questions = 0
  return {
    async take(id, perSecond, burst, want, token) {
      const grant = await authority.take(id, perSecond, burst, want, token)
      const ofId = granted.get(id) ?? new Map<string, number>()
      granted.set(id, ofId.set(token, grant.granted))
      if (loses && ++questions % 3 === 0) throw new Error('the answer was lost')
      return grant
    },
  }
}

describe.skipIf(isOptional && missingRedis() !== undefined)('the limits of metering, shared through Redis', () => {
  let server: RedisServer
  beforeAll(async () => {
    server = await startRedis()
  })
  afterAll(() => server?.stop())

  it.each(['arrives', 'is lost now and then'])(
    'spend a quota once among two processes where the answer %s',
    async (how) => {
      const loses = how !== 'arrives'
      const quota = 100_000
      const price = 80
      const granted = new Map<string, Map<string, number>>()
      const plan: Plan = { perDay: { credits: quota }, perSecond: { credits: 10_000_000 } }
      const prefix = loses ? 'losing' : 'quota'
      const redis = await Promise.all(['a', 'b'].map(() => openRedis({ url: server.url, prefix })))
      await expect.poll(() => redis.every((each) => each.state().connected)).toBe(true)
      const processes = redis.map((each, i) => {
        const shared = { authority: noting(each.limits, granted, loses), process: `p${i}`, share: () => 1 / 2 }
        const own = createLimits({ clock: systemClock, shared })
        return { own, limiter: own.of({ id: 'k1', plan }, { id: 'p1' }) }
      })
      let admitted = 0
      // Each goes on until it was refused for so long that no answer can be on its way.
      await Promise.all(
        processes.map(async ({ limiter }) => {
          for (let refused = 0; refused < 200;) {
            let refusal = limiter.admit('eth_call', '', price)
            if (refusal?.reserve !== undefined) refusal = await refusal.reserve()
            if (refusal === undefined) {
              admitted += price
              refused = 0
            } else refused++
            await new Promise((resolve) => setTimeout(resolve, 1))
          }
        }),
      )
      await Promise.all(processes.map(({ own }) => own.close()))
      const [id, answers] = [...granted].find(([name]) => name.startsWith('key:k1:day:'))!
      const spent = [...answers.values()].reduce((sum, credits) => sum + credits, 0)
      const { remaining } = await redis[0]!.limits.take(id, 0, quota, 0)
      // Each question counts once, however often it was asked, and all that was admitted is settled, as far as the quota goes.
      expect(quota - remaining).toBe(spent)
      expect(spent).toBe(Math.min(quota, admitted))
      expect(quota - admitted).toBeLessThan(price)
      if (!loses) expect(admitted).toBeLessThanOrEqual(quota)
      await Promise.all(redis.map((each) => each.close()))
    },
  )

  it('keep the bucket of a visitor for two days at most, and that of a month beyond its end', async () => {
    await using redis = await openRedis({ url: server.url, prefix: 'kept' })
    await expect.poll(() => redis.state().connected).toBe(true)
    const shared = { authority: redis.limits, process: 'a', share: () => 1 / 2 }
    const limits = createLimits({ clock: systemClock, shared })
    const plan: Plan = { perVisitor: { perDay: { credits: 8_000 } }, perMonth: { credits: 100_000 } }
    const { admit } = limits.of({ id: 'k', plan }, { id: 'p' })
    for (let i = 0; i < 20; i++) await admit('eth_call', `192.0.2.${i}`, 80)?.reserve?.()
    await limits.close()
    const client = createClient({ url: server.url })
    await client.connect()
    const kept = async (part: string): Promise<number[]> => {
      const names = await client.keys(`kept:*${part}*`)
      return Promise.all(names.map(async (name) => (await client.pTTL(name)) / 86_400_000))
    }
    const ofVisitors = await kept(':visitor:')
    const ofMonth = await kept(':month:')
    client.destroy()
    expect([ofVisitors.length, ofMonth.length]).toEqual([40, 2])
    expect(Math.max(...ofVisitors)).toBeLessThanOrEqual(2)
    expect(Math.min(...ofVisitors, ...ofMonth)).toBeGreaterThan(0.99)
    expect(Math.max(...ofMonth)).toBeLessThanOrEqual(32)
  })

  it('count a quota over losses of memory as the authority in memory does', async () => {
    // A small generator (mulberry32): the same questions at each run.
    let state = 7
    const below = (bound: number): number => {
      state = (state + 0x6d2b79f5) | 0
      let mixed = Math.imul(state ^ (state >>> 15), state | 1)
      mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
      return ((mixed ^ (mixed >>> 14)) >>> 0) % bound
    }
    const quota = 3_000
    const reported = { redis: new Map<string, KnownSpent>(), memory: new Map<string, KnownSpent>() }
    let token = 0
    for (let round = 0; round < 12; round++) {
      await using redis = await openRedis({ url: server.url, prefix: `round${round}` })
      await expect.poll(() => redis.state().connected).toBe(true)
      const clock = { ...systemClock, date: () => round + 1 }
      const authorities = { redis: redis.limits, memory: createMemoryAuthority({ clock }) }
      for (let i = 0; i < 25; i++) {
        const asker = `p${below(4)}.${Math.floor(round / 3)}`
        const fromStore = { credits: below(quota), epoch: '' }
        const want = below(3) === 0 ? -below(40) : below(80)
        const undivided = want > 0 ? below(want + 1) : 0
        const question = [want, `${asker}:${++token}`] as const
        const answers = { redis: {}, memory: {} }
        for (const name of ['redis', 'memory'] as const) {
          const known = reported[name].get(asker) ?? fromStore
          const { epoch, ...answer } = await authorities[name].take('day', 0, quota, ...question, known, undivided)
          reported[name].set(asker, { credits: quota - answer.remaining, epoch: epoch! })
          answers[name] = answer
          // Asked again, it says the same.
          expect(await authorities[name].take('day', 0, quota, ...question, known, undivided)).toEqual({
            ...answer,
            epoch,
          })
        }
        expect(answers.redis).toEqual(answers.memory)
      }
    }
  })
})

describe('the usage of metering', () => {
  let folder: string
  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'wayleave-metering-'))
  }, 120_000)
  afterAll(async () => {
    await rm(folder, { recursive: true })
  }, 60_000)

  const fresh = {
    SQLite: async (): Promise<StoresOptions> => ({ sqlite: join(folder, 'usage.db') }),
    PostgreSQL: async (): Promise<StoresOptions> => ({ postgres: await freshDatabase() }),
  }

  /** All that a host writes to have usage reach a store; `lose` may throw after a batch was taken. */
  async function count(store: UsageStore, name: string, work: (n: number) => Promise<void>, lose = (): void => {}) {
    const spool = createSpool({
      file: await openSpoolFile(join(folder, 'usage.spool')),
      clock: systemClock,
      process: name,
      async store({ process: from, seq, rows }) {
        await store.add(from, seq, rows)
        lose()
      },
    })
    await spool.open()
    const usage = createUsage({ clock: systemClock, add: spool.add, flush: spool.flush })
    const recorder = usage.recorder({ project: 'p', key: 'k', network: 'mainnet' }, new Set(['eth_call']))
    for (let n = 0; n < 50; n++) {
      recorder.count(n % 5 === 0 ? 'invented' : 'eth_call', n % 10 === 0 ? 429 : 200, 80)
      if (n % 10 === 9) await usage.flush()
      await work(n)
    }
    await usage.close()
    await spool.close()
  }

  for (const kind of ['SQLite', 'PostgreSQL'] as const) {
    const cannotRun = kind === 'PostgreSQL' && isOptional && missingPostgres() !== undefined
    it.skipIf(cannotRun)(`is counted once in ${kind}, also where acknowledgements are lost`, async () => {
      await rm(join(folder, 'usage.spool'), { force: true })
      await using stores = await openStores(await fresh[kind]())
      const idle = async (): Promise<void> => {}
      let lost = 0
      await count(stores.usage, 'first', idle, () => {
        lost++
        throw new Error('the answer was lost')
      })
      expect(lost).toBeGreaterThan(0)
      // The next process hands on what the first one left on the disk.
      await count(stores.usage, 'second', idle)
      const sums = await stores.usage.query({
        period: 'day',
        from: 0,
        to: Date.now() + 86_400_000,
        by: ['project', 'key', 'network', 'method', 'status'],
        limit: 10,
      })
      const place = { project: 'p', key: 'k', network: 'mainnet' }
      expect(sums.map(({ calls, credits, ...rest }) => ({ ...rest, calls, credits }))).toEqual([
        { ...place, method: 'eth_call', status: '2xx', calls: 80, credits: 6_400 },
        { ...place, method: 'other', status: '2xx', calls: 10, credits: 800 },
        { ...place, method: 'other', status: '4xx', calls: 10, credits: 800 },
      ])
    })
  }
})
