import { createContext, isStream, RpcError, type RpcErrorCode, type RpcHandler } from '@wayleave/jsonrpc-core'
import { createHedging, createRetries, powerOfTwo } from '@wayleave/upstream'
import { expect, it } from 'vitest'
import { read, scene, settled, streaming, write } from './pool-scene.ts'
import { seeded } from './simulation.ts'
import { answering, call as callOf } from './support.ts'

const codes: readonly RpcErrorCode[] = [
  'connect',
  'disconnected',
  'timeout',
  'http_status',
  'overloaded',
  'too_large',
  'invalid_response',
]
const once = callOf('law_once')
const pick = <T>(random: () => number, from: readonly T[]): T => from[Math.floor(random() * from.length)]!

it.each(Array.from({ length: 12 }, (_, seed) => seed))(
  'whatever upstreams do, each call settles once, all slots come back and no attempt is left, seed %i',
  async (seed) => {
    const random = seeded(seed + 1)
    const upstreams = 1 + Math.floor(random() * 6)
    const troubles = Array.from({ length: upstreams }, () => random() * 0.8)
    /** Attempts on their way at each upstream's own side. */
    let open = 0
    const broken: string[] = []
    const writes = new Map<unknown, { sent: number; atOnce: number }>()
    /** The upstreams that each idempotent write has reached. */
    const reached = new Map<unknown, Set<number>>()

    const upstream = (trouble: number, nth: number): RpcHandler => {
      return (request, context) =>
        new Promise((resolve, reject) => {
          open++
          const isWrite = request.method === write.method
          const record = writes.get(request)
          if (isWrite && (++record!.atOnce > 1 || record!.sent > 0)) broken.push('a write was sent again')
          let isSettled = false
          const settle = (run: () => void): void => {
            if (isSettled) return
            isSettled = true
            open--
            if (isWrite) record!.atOnce--
            run()
          }
          if (reached.get(request)?.has(nth) === true) broken.push('a write reached an upstream twice')
          reached.get(request)?.add(nth)
          const isUnsent = random() < 0.3
          if (isWrite && !isUnsent) record!.sent++
          // Some heed no cancellation, and answer all the same.
          const isDeaf = random() < 0.1
          if (!isDeaf) context.onCancel((why) => settle(() => reject(why)))
          const delay = random() < 0.05 ? 5_000 : random() * 300
          const hasTrouble = random() < trouble
          const kind = random()
          clock.after(delay, () =>
            settle(() => {
              if (isWrite && isUnsent) reject(new RpcError('connect', 'no connection', { delivery: 'not_sent' }))
              else if (!hasTrouble) {
                resolve(
                  kind < 0.2 && context.acceptStream
                    ? streaming(kind < 0.05).handler(request, context)
                    : answering(1)(request, context),
                )
              } else if (kind < 0.4) resolve({ error: { code: -32000, message: pick(random, verdicts) } })
              else if (kind < 0.9 || isDeaf) reject(new RpcError(pick(random, codes), 'a fault', { retryAfterMs: 100 }))
              // The others hang.
              else {
                open++
                isSettled = false
              }
            }),
          )
        })
    }
    const verdicts = ['internal', 'rate_limited', 'method_missing', 'pruned', 'lagging', 'final'] as const

    const pooled = scene(troubles.map(upstream), {
      perEndpoint: 1 + Math.floor(random() * 10),
      selection: { random, order: powerOfTwo({ random }) },
      hedging: createHedging({ burst: 5 }),
      retries: createRetries({ random, burst: 5 }),
      probe: () => (random() < 0.5 ? Promise.resolve() : Promise.reject(new Error('still out'))),
      verdictOf: (request, { message }) =>
        message === 'final' || request.method !== read.method
          ? undefined
          : { kind: message as (typeof verdicts)[0] & 'internal' },
      isLastResort: () => random() < 0.1,
      ready: () =>
        random() < 0.05 ? new Promise((resolve) => void clock.after(random() * 2_000, resolve)) : undefined,
      isRepeatable: ({ method }) => method === read.method,
      writeOf: ({ method }) =>
        method !== once.method
          ? undefined
          : {
              isIdempotent: true,
              broadcast: pick(random, [1, 2, 3]),
              mayBeDone: () => random() < 0.1,
              begin() {},
              end() {},
              async outcomeOf(response, ask) {
                if (response.error === undefined) return { kind: 'done', response }
                if (response.error.message === 'final') await ask({ ...read }).catch(() => {})
                const why = new RpcError('invalid_response', 'a lie')
                return pick(random, [{ kind: 'false', why }, { kind: pick(random, ['refused', 'unknown']) }])
              },
              inDoubt: (why) => why,
            },
    })
    const { clock, pool } = pooled

    const calls = 400
    let settlements = 0
    const outcomes: Promise<void>[] = []
    for (let i = 0; i < calls; i++) {
      const request = { ...(random() < 0.2 ? write : random() < 0.2 ? once : read) }
      if (request.method === once.method) reached.set(request, new Set())
      if (request.method === write.method) writes.set(request, { sent: 0, atOnce: 0 })
      const context = createContext({
        clock,
        timeoutMs: 500 + random() * 10_000,
        tenant: pick(random, ['x', 'y', undefined]),
        acceptStream: random() < 0.5,
      })
      const gone = random()
      if (gone < 0.1) clock.after(gone * 5_000, () => context.cancel(new RpcError('aborted', 'the caller left')))
      outcomes.push(
        pool(request, context)
          .finally(() => settlements++)
          .then(async ({ result }) => {
            if (result === undefined || !isStream(result)) return
            if (random() < 0.5) result.cancel()
            else for await (const _ of result);
          })
          .catch((why: unknown) => {
            if (!(why instanceof RpcError)) broken.push(String(why))
          })
          .finally(() => context.release()),
      )
      if (random() < 0.3) await pooled.pass(random() * 60)
    }
    await pooled.pass(15_000, 50)
    await Promise.all(outcomes)
    await settled()
    expect(open).toBe(0)
    expect([pooled.held(), pooled.pending(), pooled.slots.waiting]).toEqual([0, 0, 0])
    expect([settlements, broken]).toEqual([calls, []])
    // Each call asks each upstream twice at most, and second rounds are few.
    const rounds = calls * (1 + 0.1) + 5
    expect(pooled.asked.length).toBeLessThanOrEqual(rounds * upstreams)
  },
)

it.each([
  ['rejections', async () => Promise.reject(new RpcError('disconnected', 'gone'))],
  ['answers', async () => ({ error: { code: -32603, message: 'Internal error' } })],
] as const)('reads pass over three upstreams of which each fails every tenth call, by %s', async (_how, fault) => {
  const random = seeded(7)
  const flaky: RpcHandler = async (request, context) => (random() < 0.1 ? fault() : answering(1)(request, context))
  const pooled = scene([flaky, flaky, flaky], {
    selection: { random, order: powerOfTwo({ random }) },
    retries: createRetries({ random }),
    verdictOf: () => ({ kind: 'internal' }),
  })
  let answered = 0
  for (let i = 0; i < 20_000; i++) {
    const call = pooled.pool(read, pooled.context).then(
      ({ error }) => error === undefined,
      () => false,
    )
    // A second round comes after a pause.
    while ((await Promise.race([call, settled()])) === undefined) pooled.clock.advance(10)
    if (await call) answered++
  }
  expect(answered).toBeGreaterThanOrEqual(19_998)
  expect(pooled.asked.length).toBeLessThanOrEqual(20_000 * 1.12)
  expect(pooled.candidates.map(({ health }) => health.breaker)).toEqual(['closed', 'closed', 'closed'])
})
