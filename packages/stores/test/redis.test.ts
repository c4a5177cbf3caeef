import { inspect } from 'node:util'
import type { Clock } from '@wayleave/jsonrpc-core'
import { openRedis, type RedisState, type RedisStores, StoresError } from '@wayleave/stores'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { missingRedis, type RedisServer, startRedis } from './redis-server.ts'

const isOptional = process.env['REQUIRE_SERVICES'] === undefined

async function failureOf(work: Promise<unknown>): Promise<StoresError> {
  const error: unknown = await work.catch((thrown: unknown) => thrown)
  expect(error).toBeInstanceOf(StoresError)
  return error as StoresError
}

async function until(ready: () => boolean): Promise<void> {
  await expect.poll(ready, { interval: 5 }).toBe(true)
}

it('refuses what is no URL of Redis without repeating it', async () => {
  for (const url of ['http://user:secret@host', 'secret', '', 'redis://', 'redis://user:a/secret@host', []]) {
    const error = await failureOf(openRedis({ url }))
    expect(error.code).toBe('unavailable')
    expect(inspect(error, { depth: 10 })).not.toContain('secret')
  }
  expect((await failureOf(openRedis({ url: 'redis://host', prefix: 'a{b}' }))).code).toBe('invalid')
})

it('opens where nobody listens, and says so', async () => {
  await using redis = await openRedis({ url: 'redis://user:secret@127.0.0.1:1' })
  expect(redis.state()).toMatchObject({ connected: false, fault: 'unreachable' })
  const error = await failureOf(redis.limits.take('a', 1, 1, 1))
  expect(error).toMatchObject({ code: 'unavailable', fault: 'unreachable' })
  expect(inspect(error, { depth: 10 })).not.toContain('secret')
  expect(redis.view('mainnet').head).toBe(0)
  await redis.view('mainnet').settled()
})

describe.skipIf(isOptional && missingRedis() !== undefined)('a server', () => {
  let server: RedisServer
  let prefixes = 0
  beforeAll(async () => {
    server = await startRedis()
  })
  afterAll(() => server?.stop())

  const freshPrefix = (): string => `test${++prefixes}`
  /** Opens, and waits for the connection: a busy machine takes its time. */
  async function open(prefix: string, more: object = {}): Promise<RedisStores> {
    const redis = await openRedis({ url: server.url, prefix, ...more })
    await until(() => redis.state().connected)
    return redis
  }

  it('that refuses the password is told without it', async () => {
    await using locked = await startRedis('--requirepass', 'right')
    const url = `redis://:wrong-secret@127.0.0.1:${locked.port}`
    await using redis = await openRedis({ url })
    await until(() => !redis.state().connected && (redis.state() as { readonly fault?: string }).fault === 'refused')
    expect(inspect(await failureOf(redis.limits.take('a', 1, 1, 1)))).not.toContain('wrong-secret')
    await using admitted = await openRedis({ url: url.replace('wrong-secret', 'right') })
    await until(() => admitted.state().connected)
  })

  describe('limits', () => {
    it('grant what the bucket holds, to all processes together', async () => {
      const prefix = freshPrefix()
      const stores = await Promise.all([open(prefix), open(prefix), open(prefix)])
      // Fills by one credit in 1,000 s or more.
      const taken = await Promise.all(
        Array.from({ length: 90 }, (_, i) => stores[i % 3]!.limits.take('day', 0, 1_000, 17)),
      )
      expect(taken.reduce((sum, { granted }) => sum + granted, 0)).toBe(1_000)
      expect(taken.every(({ granted, remaining }) => granted <= 17 && remaining >= 0)).toBe(true)
      expect(await stores[0].limits.take('day', 0, 1_000, 1)).toEqual({ granted: 0, remaining: 0 })
      expect((await stores[0].limits.take('other', 0, 1_000, 1)).granted).toBe(1)
      for (const perSecond of [0, 1]) {
        const whole = await stores[0].limits.take(`whole-${perSecond}`, perSecond, 100, 150, 'x:1', undefined, 80)
        expect(whole).toEqual({ granted: 70, remaining: 30 })
      }
      await Promise.all(stores.map((each) => each.close()))
    })

    it('fill by the clock of Redis, and no further than the bucket', async () => {
      const prefix = freshPrefix()
      let ms = 0
      const clock: Clock = { now: () => ms, date: () => ms, after: systemAfter }
      await using redis = await open(prefix, { clock })
      expect(await redis.limits.take('a', 1_000, 100, 100)).toEqual({ granted: 100, remaining: 0 })
      // The process' own clock has no say.
      ms = 1e9
      for (let more = 0; more < 300;) {
        const { granted, remaining } = await redis.limits.take('a', 1_000, 100, 100)
        expect(granted + remaining).toBeLessThan(101)
        more += granted
      }
    })

    it('take nothing for a question that is asked again, and tell what it took and what is left by now', async () => {
      const prefix = freshPrefix()
      await using redis = await open(prefix)
      await using other = await open(prefix)
      const first = await redis.limits.take('a', 0, 100, 80, 'one:1')
      expect(await other.limits.take('a', 0, 100, 15, 'two:1')).toMatchObject({ granted: 15, remaining: 5 })
      expect(first).toEqual({ granted: 80, remaining: 20 })
      expect(await redis.limits.take('a', 0, 100, 80, 'one:1')).toEqual({ granted: 80, remaining: 5 })
      expect(await redis.limits.take('a', 0, 100, 80, 'one:2')).toMatchObject({ granted: 5, remaining: 0 })
      expect(await redis.limits.take('a', 0, 100, 0)).toMatchObject({ granted: 0, remaining: 0 })
      // A question without a name is a new one each time.
      for (const remaining of [7, 4]) expect(await redis.limits.take('b', 0, 10, 3)).toMatchObject({ remaining })
    })

    it('remember the last question of each process, of 64 of them', async () => {
      await using redis = await open(freshPrefix())
      const ask = (asker: number) => redis.limits.take('a', 0, 1_000, 1, `${asker}:1`)
      for (let asker = 1; asker <= 64; asker++) await ask(asker)
      expect(await ask(1)).toMatchObject({ remaining: 936 })
      expect(await ask(65)).toMatchObject({ remaining: 935 })
      // It was the one that asked first.
      expect(await ask(1)).toMatchObject({ remaining: 934 })
      expect(await ask(64)).toMatchObject({ remaining: 934 })
    })

    it('hold for a plan that changes: a quota less what was spent, a bucket less what is missing', async () => {
      await using redis = await open(freshPrefix())
      const quota = (burst: number, want: number) => redis.limits.take('a', 0, burst, want)
      await quota(100, 20)
      expect(await quota(10, 50)).toEqual({ granted: 0, remaining: 0 })
      expect(await quota(200, 50)).toEqual({ granted: 50, remaining: 130 })
      await redis.limits.take('b', 1, 1_000, 100)
      expect((await redis.limits.take('b', 1, 10, 50)).granted).toBe(10)
    })

    it('count exactly up to a billion a bucket, and a million millions a quota', async () => {
      await using redis = await open(freshPrefix())
      for (const [id, perSecond, most] of [
        ['a', 0, 1e12],
        ['b', 1, 1e9],
      ] as const) {
        expect(await redis.limits.take(id, perSecond, most, 1, 'p:1')).toEqual({ granted: 1, remaining: most - 1 })
        const { granted } = await redis.limits.take(id, perSecond, most, most, 'p:2')
        // Credits that flow in between the two are whole, too.
        expect(perSecond === 0 ? most - granted : most - Math.min(granted, most - 1)).toBe(1)
        expect(await redis.limits.take(id, perSecond, most, most, 'p:2')).toEqual({ granted, remaining: 0 })
      }
    })

    it('are shared by the processes that joined and did not leave, as each of them knows', async () => {
      const prefix = freshPrefix()
      let ms = 0
      const clock: Clock = { now: () => ms, date: () => ms, after: systemAfter }
      const [a, b] = await Promise.all([open(prefix, { clock }), open(prefix, { clock })])
      const one = await a.limits.join('one')
      expect(one.count()).toBe(1)
      const two = await b.limits.join('two')
      expect(two.count()).toBe(2)
      await until(() => one.count() === 2)
      await two.leave()
      await two.leave()
      expect(one.count()).toBe(2)
      // A smaller number counts when it was the only one for 10 s.
      const later = (): number => {
        ms += 6_000
        return one.count()
      }
      await expect.poll(later, { interval: 20 }).toBe(1)
      await Promise.all([a.close(), b.close()])
      expect(one.count()).toBe(1)
    })

    it('are those of one process where Redis is gone from the start', async () => {
      await using redis = await openRedis({ url: 'redis://127.0.0.1:1' })
      expect((await redis.limits.join('alone')).count()).toBe(1)
    })

    it('have ids of any length', async () => {
      await using redis = await open(freshPrefix())
      const id = `key:${'m'.repeat(10_000)}`
      expect(await redis.limits.take(`${id}a`, 0, 10, 4)).toMatchObject({ remaining: 6 })
      expect(await redis.limits.take(`${id}b`, 0, 10, 4)).toMatchObject({ remaining: 6 })
      expect(await redis.limits.take(`${id}a`, 0, 10, 4)).toMatchObject({ remaining: 2 })
    })

    it('refuse what cannot be counted', async () => {
      await using redis = await open(freshPrefix())
      const { take } = redis.limits
      for (const [limit, burst, want] of [
        [-1, 1, 1],
        [0.5, 1, 1],
        [1, Number.NaN, 1],
        [1, 1e10, 1],
        [0, 2e12, 1],
        [1, 1, 0.5],
        [1, 1, -1],
      ] as const) {
        expect((await failureOf(take('a', limit, burst, want))).code).toBe('invalid')
      }
      expect((await failureOf(take('', 1, 1, 1))).code).toBe('invalid')
    })
  })

  describe('a view that is settled', () => {
    it('knows what others had told before it was opened', async () => {
      const prefix = freshPrefix()
      await using one = await open(prefix)
      one.view('n').raise(100)
      one.view('n').raiseNonce('0xa', 3, performance.now())
      await one.view('n').settled()
      await using late = await open(prefix)
      await late.view('n').settled()
      expect([late.view('n').head, late.view('n').nonceOf('0xa', performance.now())]).toEqual([100, 3])
    })
  })

  it('is not disturbed by messages that are none of its own', async () => {
    const prefix = freshPrefix()
    await using one = await open(prefix)
    await using two = await open(prefix)
    for (const each of [one, two]) expect(each.view('n').head).toBe(0)
    const { createClient } = await import('@redis/client')
    const client = await createClient({ url: server.url }).connect()
    for (const message of [
      '',
      '{',
      'null',
      '7',
      '{"a":1}',
      '[]',
      '["numbers","view:n:head"]',
      '["numbers","view:n:head","x"]',
      '["numbers","view:n:head",[["head",0,"7","",1]]]',
      '["numbers","view:n:nonces",[["0xa",0,7]]]',
    ]) {
      await client.publish(`${prefix}:told`, message)
    }
    client.destroy()
    one.view('n').raise(100)
    await until(() => two.view('n').head === 100)
    expect(two.view('n').nonceOf('0xa', performance.now())).toBe(0)
    expect([one.state().connected, two.state().connected]).toEqual([true, true])
  })

  describe('that goes away', () => {
    it('and comes back empty is used again, with what the processes know', async () => {
      await using own = await startRedis()
      const openOwn = () => open('own', { url: own.url })
      const stores = await Promise.all([openOwn(), openOwn()])
      const [one, two] = stores
      const states: RedisState[] = []
      one.onState((state) => states.push(state))
      await one.cordons.cordon('n', 'a', 'repair')
      one.view('n').raise(100)
      one.view('n').raiseNonce('0xa', 3, performance.now())
      await until(() => two.view('n').head === 100)
      await own.restart(async () => {
        await until(() => stores.every((each) => !each.state().connected))
        expect(one.state()).toMatchObject({ fault: 'unreachable' })
        expect(await failureOf(one.limits.take('a', 1, 1, 1))).toMatchObject({ code: 'unavailable' })
        // News of others do not undo what was decided here meanwhile.
        expect(await one.cordons.uncordon('n', 'a')).toBe(false)
        expect(await one.cordons.cordon('n', 'b', '')).toBe(false)
        expect(one.cordons.list()).toMatchObject([{ upstream: 'b' }])
        expect(two.cordons.isCordoned('n', 'a')).toBe(true)
        one.view('n').raise(101)
        one.view('n').raiseNonce('0xb', 4, performance.now())
        expect(one.view('n').head).toBe(101)
      })
      await until(() => stores.every((each) => each.state().connected))
      expect(states.map(({ connected }) => connected)).toEqual([false, true])
      await until(() => two.view('n').head === 101 && two.view('n').nonceOf('0xb', performance.now()) === 4)
      await until(() => two.cordons.isCordoned('n', 'b') && !two.cordons.isCordoned('n', 'a'))
      expect(one.cordons.list()).toMatchObject([{ upstream: 'b' }])
      expect((await one.limits.take('a', 1, 5, 1)).granted).toBe(1)
      const third = await openOwn()
      await until(() => third.cordons.isCordoned('n', 'b') && third.view('n').nonceOf('0xa', performance.now()) === 3)
      expect(third.view('n').head).toBe(101)
      await Promise.all([...stores, third].map((each) => each.close()))
    })

    it('without a word is told as silent, and every call is answered', async () => {
      await using own = await startRedis()
      await using redis = await open('own', { url: own.url })
      await own.freeze(async () => {
        const [first] = await Promise.all([
          failureOf(redis.limits.take('a', 1, 1, 1)),
          redis.view('n').settled(),
          until(() => !redis.state().connected),
        ])
        expect(['silent', 'unreachable']).toContain(first.fault)
        expect(redis.state()).toMatchObject({ fault: 'silent' })
        expect((await failureOf(redis.limits.take('a', 1, 1, 1))).code).toBe('unavailable')
      })
      await until(() => redis.state().connected)
      expect((await redis.limits.take('b', 1, 1, 1)).granted).toBe(1)
    })

    it('leaves no call unanswered when the stores are closed', async () => {
      await using own = await startRedis()
      const redis = await open('own', { url: own.url })
      await own.freeze(async () => {
        const asked = failureOf(redis.limits.take('a', 1, 1, 1))
        await Promise.all([redis.close(), redis.close()])
        expect(['closed', 'unavailable']).toContain((await asked).code)
        expect((await failureOf(redis.limits.take('a', 1, 1, 1))).code).toBe('closed')
      })
    })
  })
})

function systemAfter(ms: number, f: () => void): () => void {
  const timer = setTimeout(f, ms)
  return () => clearTimeout(timer)
}
