import type { Clock } from '@wayleave/jsonrpc-core'
import type { RedisAnswers } from '@wayleave/stores'
import type { Candidate } from '@wayleave/upstream'
import type { Log } from '@wayleave/telemetry'
import type { SharedAnswerCache } from '@wayleave/network'
import { faultWords } from '../telemetry/store-watch.ts'
import { storeProblem } from '../store.ts'

/** The way in which keys name questions. Another one finds none of the answers that were kept before. */
const keyScheme = 1
/** The median of an upstream is read again after so long, in ms. */
const patienceHoldsMs = 1_000
const leastPatienceMs = 2
/** Longest wait where no call waits, in ms. */
const readMs = 1_000

/**
 * Opens the configured Redis of the cache; its code loads only here. Resolves when it answers, or after a second where it does not.
 * @throws ConfigError for a URL that is none
 */
export async function openSharedAnswers(
  url: string | readonly string[] | undefined,
  { clock, log }: { readonly clock: Clock; readonly log: Log },
): Promise<SharedAnswerCache | undefined> {
  if (url === undefined) return undefined
  const { openRedisAnswers } = await import('@wayleave/stores')
  const redis: RedisAnswers = await openRedisAnswers({ url, clock }).catch((thrown: unknown) => {
    throw storeProblem(thrown, 'cache.redis') ?? thrown
  })
  const fault = (): string | undefined => {
    const state = redis.state()
    return state.connected ? undefined : faultWords[state.fault]
  }
  const report = (): void => {
    const reason = fault()
    if (reason === undefined) log.warn({}, 'the redis of the cache works again')
    else log.warn({ reason }, 'the redis of the cache cannot be used; each process keeps its own')
  }
  if (fault() !== undefined) report()
  const stopReporting = redis.onState(report)
  return {
    fault,
    of(scope, upstreams) {
      const prefix = JSON.stringify([keyScheme, ...scope])
      const patienceMs = answerPatience(upstreams, clock)
      return {
        get: (key) => redis.get(prefix + key, patienceMs()),
        set: (key, answer, forMs) => redis.set(prefix + key, answer, forMs),
        read: async (key) => redis.get(prefix + key, readMs),
      }
    },
    async close() {
      stopReporting()
      await redis.close()
    },
  }
}

/** Returns the longest wait for a shared answer, in ms: a tenth of the time that the fastest upstream usually takes for a read, at least 2. */
export function answerPatience(upstreams: readonly Pick<Candidate, 'health'>[], clock: Clock): () => number {
  let patienceMs = leastPatienceMs
  let readAt = Number.NEGATIVE_INFINITY
  return () => {
    const now = clock.now()
    if (now - readAt < patienceHoldsMs) return patienceMs
    readAt = now
    const medians = upstreams.map(({ health }) => 2 ** (health.of('read')?.latencies.quantile(0.5) ?? Number.NaN))
    const fastest = Math.min(...medians.filter(Number.isFinite))
    patienceMs = Number.isFinite(fastest) ? Math.max(leastPatienceMs, fastest / 10) : leastPatienceMs
    return patienceMs
  }
}
