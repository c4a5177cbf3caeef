import {
  type Clock,
  isStream,
  rawJsonFromText,
  type RpcHandler,
  type RpcRequest,
  createContext,
} from '@wayleave/jsonrpc-core'
import {
  type CacheChain,
  createMemoryStore,
  createRpcCache,
  type CachedQuestion,
  type SharedCache,
} from '@wayleave/rpc-cache'
import { openRedisAnswers } from '@wayleave/stores'

/** A call of the load: `at` is a height, or undefined for the head. */
export interface Call {
  readonly name: string
  readonly at: number | undefined
}

/** The outcome of a call. */
export interface Outcome {
  readonly kind: 'right' | 'wrong' | 'failed'
  readonly ms: number
}

export interface ReplicaOptions {
  /** Redis behind the memory. Undefined: none. */
  readonly url: string | undefined
  readonly chain: CacheChain
  /** The longest wait for Redis, in ms. */
  readonly waitMs: number
  /** The time that the upstream takes for its next answer, in ms. */
  readonly latencyMs: () => number
  readonly clock: Clock
}

/** A process of a deployment, as far as its cache goes: its memory is small, so that Redis is asked often. */
export interface Replica extends AsyncDisposable {
  ask(call: Call): Promise<Outcome>
  /** Calls that reached the upstream, and those that Redis answered, so far. */
  counts(): { readonly upstream: number; readonly shared: number }
}

const memoryBytes = 1_048_576
const bodyBytes = 2_048
const timeoutMs = 5_000

/** The one right answer to a question at a block. */
const answerTo = (name: string, height: number): string => JSON.stringify({ name, height }).padEnd(bodyBytes)

export async function startReplica({ url, chain, waitMs, latencyMs, clock }: ReplicaOptions): Promise<Replica> {
  let [upstream, shared] = [0, 0]
  const redis = url === undefined ? undefined : await openRedisAnswers({ url })
  while (redis?.state().connected === false) await new Promise<void>((resolve) => void clock.after(10, resolve))
  const behind: SharedCache | undefined = redis && {
    get: (key) =>
      redis.get(key, waitMs)?.then((answer) => {
        if (answer !== undefined) shared++
        return answer
      }),
    set: (key, answer, forMs) => redis.set(key, answer, forMs),
  }
  const cache = createRpcCache({
    classify: questionOf,
    positionOf: () => undefined,
    admits: () => true,
    chain,
    store: createMemoryStore({ maxBytes: memoryBytes }),
    partition: 'rig',
    shared: behind,
  })
  const node: RpcHandler = async ({ params }) => {
    upstream++
    const { name, height } = params!.value() as { readonly name: string; readonly height: number }
    await new Promise<void>((resolve) => void clock.after(latencyMs(), resolve))
    return { result: rawJsonFromText(answerTo(name, height)) }
  }
  const handler = cache.middleware(node)

  return {
    async ask({ name, at }) {
      const height = at ?? chain.head!.height
      const params = rawJsonFromText(JSON.stringify({ name, height, isHead: at === undefined }))
      const context = createContext({ clock, timeoutMs })
      const begun = clock.now()
      try {
        const response = await handler({ method: 'rig_read', params, notification: false }, context)
        const isRight =
          response.error === undefined &&
          !isStream(response.result) &&
          response.result.text() === answerTo(name, height)
        return { kind: isRight ? 'right' : 'wrong', ms: clock.now() - begun }
      } catch {
        return { kind: 'failed', ms: clock.now() - begun }
      } finally {
        context.release()
      }
    },
    counts: () => ({ upstream, shared }),
    async [Symbol.asyncDispose]() {
      cache.close()
      await redis?.close()
    },
  }

  function questionOf({ params }: RpcRequest): CachedQuestion {
    const { name, height, isHead } = params!.value() as { name: string; height: number; isHead: boolean }
    const { head } = chain
    const life: CachedQuestion['life'] =
      isHead && head !== undefined ? { of: 'head', at: head } : { of: 'numbers', to: height }
    return { key: `${name} ${height}`, life }
  }
}
