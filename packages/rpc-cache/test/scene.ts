import {
  type CallContext,
  createContext,
  type RawJson,
  rawJsonFromText,
  type RpcHandler,
  type RpcRequest,
  type RpcResponse,
} from '@wayleave/jsonrpc-core'
import { FakeClock } from '@wayleave/jsonrpc-core/testing'
import {
  type AnswerLife,
  cacheOutcome,
  type CachedQuestion,
  createMemoryStore,
  createRpcCache,
  type RpcCacheOptions,
} from '@wayleave/rpc-cache'
import { FakeChain } from './fake-chain.ts'

export const requestOf = (method: string, params = '[]'): RpcRequest => ({
  method,
  params: rawJsonFromText(params),
  notification: false,
})

/** A cache over a node that numbers its answers; a method is classified by the life that a test gives it. */
export function createScene(options: Partial<RpcCacheOptions> & { readonly node?: RpcHandler } = {}) {
  const chain = new FakeChain()
  const clock = new FakeClock()
  const store = createMemoryStore({ maxBytes: 4_194_304 })
  const lives = new Map<string, AnswerLife>()
  const asked: RpcRequest[] = []
  const outcomes: string[] = []
  const numbered: RpcHandler = async () => ({ result: rawJsonFromText(`"answer ${asked.length}"`) })
  const cache = createRpcCache({
    classify(request): CachedQuestion | undefined {
      const life = lives.get(request.method)
      return life && { key: `${request.method} ${request.params!.text()}`, life }
    },
    positionOf: (_, result) => {
      const { height, hash } = result.value() as { height?: number; hash?: string }
      return height === undefined ? undefined : hash === undefined ? { height } : { height, hash }
    },
    admits: () => true,
    chain,
    store,
    partition: 'mainnet',
    onOutcome: (request, outcome, bytes) => void outcomes.push(`${request.method} ${outcome} ${bytes}`),
    ...options,
  })
  const handler = cache.middleware((request, context) => {
    asked.push(request)
    return (options.node ?? numbered)(request, context)
  })
  /** Returns the text of an answer, and how it came about. */
  async function call(method: string, params?: string, context: CallContext = createContext({ clock })) {
    const response: RpcResponse = await handler(requestOf(method, params), context).finally(() => context.release())
    return [(response.result as RawJson | undefined)?.text(), cacheOutcome.of(response.meta)] as const
  }
  return { chain, clock, store, lives, asked, outcomes, cache, handler, call }
}

/** A node whose answers a test gives one by one. */
export function createSlowNode() {
  const waiting: ((text: string) => void)[] = []
  const node: RpcHandler = () =>
    new Promise((resolve) => waiting.push((text) => resolve({ result: rawJsonFromText(text) })))
  return { node, pending: waiting, answer: (text: string) => waiting.shift()!(text) }
}
