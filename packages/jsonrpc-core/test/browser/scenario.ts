import {
  createBatchingTransport,
  createContext,
  createHttpTransport,
  createRpcClient,
  type Gap,
  rawJsonFromValue,
  RpcError,
  type RpcTransport,
  subscribe,
} from '@wayleave/jsonrpc-core'
import {
  createWebSocketTransport,
  heartbeat,
  iterateEvents,
  resubscribe,
  type WebSocketTransportOptions,
} from '@wayleave/jsonrpc-core/websocket'

/** URLs of the peers of a scenario; each holds `SECRET` in its path. */
export interface Peers {
  /** JSON-RPC over HTTP, open to every origin. */
  readonly http: string
  /** The same without CORS. */
  readonly closed: string
  readonly ws: string
  /** Nobody listens there. */
  readonly nobody: string
}

const subscriptions = { eth_subscribe: { unsubscribe: 'eth_unsubscribe', event: 'eth_subscription' } }

/** Checks for a page, Bun, Deno and Node alike: each gives a JSON value, or rejects. */
export const checks: Readonly<Record<string, (peers: Peers) => Promise<unknown>>> = {
  async 'an HTTP call'({ http }) {
    return createRpcClient(createHttpTransport({ url: http })).requestUnchecked('echo', ['a'])
  },
  async 'a batch'({ http }) {
    const client = createRpcClient(createBatchingTransport({ url: http }))
    return Promise.all(['a', 'b', 'c'].map((word) => client.requestUnchecked('size', [word])))
  },
  async 'an HTTP call that takes too long'({ http }) {
    const client = createRpcClient(createHttpTransport({ url: http }))
    return failure(client.requestUnchecked('hang', [], { timeoutMs: 50 }))
  },
  async 'an HTTP call that is aborted'({ http }) {
    const controller = new AbortController()
    const call = createRpcClient(createHttpTransport({ url: http })).requestUnchecked('hang', [], {
      signal: controller.signal,
    })
    controller.abort()
    return failure(call)
  },
  async 'an HTTP answer beyond the cap'({ http }) {
    const client = createRpcClient(createHttpTransport({ url: http, maxResponseBytes: 1_000 }))
    return failure(client.requestUnchecked('big'))
  },
  async 'an HTTP peer that is not there'({ nobody }) {
    return failure(createRpcClient(createHttpTransport({ url: nobody })).requestUnchecked('echo', ['a']))
  },
  async 'WebSocket calls in any order'({ ws }) {
    await using transport = open(ws)
    const client = createRpcClient(transport.handler)
    return await Promise.all(['late', 'echo'].map((method) => client.requestUnchecked(method, [method])))
  },
  async 'a WebSocket that drops'({ ws }) {
    await using transport = open(ws)
    const client = createRpcClient(transport.handler)
    const pending = ['hang', 'drop'].map((method) => failure(client.requestUnchecked(method)))
    return [...(await Promise.all(pending)), await client.requestUnchecked('echo', ['again'])]
  },
  async 'a WebSocket peer that is not there'({ nobody }) {
    await using transport = open(nobody.replace('http', 'ws'))
    return await failure(createRpcClient(transport.handler).requestUnchecked('echo'))
  },
  async 'a WebSocket peer that sends what it must not'({ ws }) {
    await using transport = open(ws, { maxMessageBytes: 1_000 })
    const client = createRpcClient(transport.handler)
    const failures: string[] = []
    for (const method of ['binary', 'nonsense', 'big', 'utf8']) {
      failures.push(await failure(client.requestUnchecked(method)))
      // The next connection may take a moment.
      await eventually(() => client.requestUnchecked('echo', ['well']))
    }
    return failures
  },
  async 'a WebSocket peer that falls silent'({ ws }) {
    await using transport = open(ws, { watch: heartbeat({ method: 'echo', intervalMs: 100, timeoutMs: 100 }) })
    const client = createRpcClient(transport.handler)
    return [await failure(client.requestUnchecked('mute')), await client.requestUnchecked('echo', ['again'])]
  },
  async 'a replay with its gap'({ ws }) {
    await using transport = open(ws)
    const replay = resubscribe()
    const reported: unknown[] = []
    await new Promise<void>((resolve, reject) => {
      const subscriber = {
        onGap: ({ last, first }: Gap) => reported.push([last, first]),
        onEvent: (event: unknown) => void (reported.push(event) === 5 && resolve()),
        onEnd: reject,
      }
      subscribe(replay(transport.handler), 'eth_subscribe', [Math.random()], subscriber).catch(reject)
    })
    replay.close()
    return reported
  },
  async 'the iterator of a subscription'({ ws }) {
    await using transport = open(ws)
    const read: unknown[] = []
    const options = { onGap: ({ last, first }: Gap) => read.push([last, first]) }
    const handler = resubscribe()(transport.handler)
    for await (const event of await iterateEvents(handler, 'eth_subscribe', [Math.random()], options)) {
      read.push(event)
      if (event === 6) break
    }
    return read
  },
  async 'a WebSocket that is closed'({ ws }) {
    const transport = open(ws)
    const client = createRpcClient(transport.handler)
    await client.requestUnchecked('echo')
    const pending = failure(client.requestUnchecked('hang'))
    await transport.close()
    return [await pending, await failure(client.requestUnchecked('echo'))]
  },
  async 'errors without secrets'({ http, ws, nobody }) {
    await using transport = open(ws)
    await using lost = open(nobody.replace('http', 'ws'))
    const calls = [
      createHttpTransport({ url: nobody, headers: { authorization: 'SECRET' } }),
      createHttpTransport({ url: `${http}/404` }),
      createHttpTransport({ url: 'http://SECRET:SECRET@127.0.0.1:1' }),
      transport.handler,
      lost.handler,
      open('ws://[SECRET').handler,
    ]
    const request = { method: 'drop', params: rawJsonFromValue(['SECRET']), notification: false }
    const context = createContext()
    const thrown = await Promise.all(
      calls.map((handler) =>
        handler(request, context).then(
          () => 'no error',
          (why: unknown) => why,
        ),
      ),
    )
    context.release()
    return thrown.map((why) => (why instanceof RpcError ? leaks(why) : `not an RpcError: ${String(why)}`))
  },
}

/** Checks for a page alone. */
export const pageChecks: typeof checks = {
  async 'a peer that forbids this origin'({ closed }) {
    return failure(createRpcClient(createHttpTransport({ url: closed })).requestUnchecked('echo', ['a']))
  },
}

/** Runs each check; what it gave, or how it failed. */
export async function run(which: typeof checks, peers: Peers): Promise<Record<string, unknown>> {
  const results: Record<string, unknown> = {}
  for (const [name, check] of Object.entries(which)) {
    let timer: ReturnType<typeof setTimeout> | undefined
    const late = new Promise((_resolve, reject) => {
      timer = setTimeout(() => reject(new Error('it takes too long')), 8_000)
    })
    results[name] = await Promise.race([check(peers), late]).catch((why: unknown) => `FAILED: ${String(why)}`)
    clearTimeout(timer)
  }
  return results
}

function open(url: string, options: Partial<WebSocketTransportOptions> = {}): RpcTransport {
  return createWebSocketTransport({ url, subscriptions, reconnect: { baseDelayMs: 5, maxDelayMs: 20 }, ...options })
}

function failure(call: Promise<unknown>): Promise<string> {
  return call.then(
    (value) => `no error: ${JSON.stringify(value)}`,
    (why: unknown) => (why instanceof RpcError ? `${why.code} ${why.delivery}` : `not an RpcError: ${String(why)}`),
  )
}

/** Lists the places where an error or its causes name the secret. */
function leaks(why: unknown): string[] {
  const found: string[] = []
  for (let each = why as (Error & { cause?: unknown }) | undefined; each instanceof Error; each = each.cause as Error) {
    for (const key of Object.getOwnPropertyNames(each)) {
      if (String(Reflect.get(each, key)).includes('SECRET')) found.push(key)
    }
  }
  return found
}

async function eventually(attempt: () => Promise<unknown>): Promise<void> {
  for (let i = 0; i < 100; i++) {
    if (
      await attempt().then(
        () => true,
        () => false,
      )
    )
      return
    await new Promise((resolve) => setTimeout(resolve, 10))
  }
  throw new Error('it was never well')
}
