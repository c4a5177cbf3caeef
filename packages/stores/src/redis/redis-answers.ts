import type { Clock } from '@wayleave/jsonrpc-core'
import { systemClock } from '../defaults.ts'
import { connectRedis, type RedisState } from './redis-connection.ts'
import { createSharedAnswers, type SharedAnswers } from './shared-answers.ts'

/** The address of a Redis that keeps answers, and the name to keep them under. */
export interface RedisAnswersOptions {
  /** `redis://user:password@host:6379/0`, or `rediss://` for TLS. Of a Redis Cluster: some of its nodes, in a list. */
  readonly url: string | readonly string[]
  /** Begins every key; `wayleave` by default. Deployments that share a Redis need different ones. */
  readonly prefix?: string
  readonly clock?: Clock
}

/** Answers of nodes in Redis, over a connection of their own: they hold up nothing else. */
export interface RedisAnswers extends SharedAnswers, AsyncDisposable {
  /** Whether Redis answers, told at most 2 s after it changed. */
  state(): RedisState
  /** Calls `listener` at each change of the state; the function returned ends that. */
  onState(listener: (state: RedisState) => void): () => void
  /** Ends the connection; questions in flight get no answer. May be called again. */
  close(): Promise<void>
}

/**
 * Opens a shared cache of answers, and resolves when Redis answered, or after 1 s where it does not: connecting goes on in the background.
 * @throws StoresError `unavailable` for anything but a URL of Redis, `invalid` for a prefix that is none
 */
export async function openRedisAnswers({
  url,
  prefix = 'wayleave',
  clock = systemClock,
}: RedisAnswersOptions): Promise<RedisAnswers> {
  const redis = connectRedis(url, prefix, clock, { hasMessages: false })
  await redis.start()
  return {
    ...createSharedAnswers(redis, prefix, clock),
    state: redis.state,
    onState: redis.onState,
    close: redis.close,
    [Symbol.asyncDispose]: redis.close,
  }
}
