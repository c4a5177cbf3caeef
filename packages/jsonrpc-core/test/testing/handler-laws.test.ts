import {
  coalesce,
  createBatchingTransport,
  createContext,
  createHttpTransport,
  isStream,
  rawJsonFromValue,
  RpcError,
  type RpcHandler,
  type RpcResponse,
  streamAnswers,
  systemClock,
} from '@wayleave/jsonrpc-core'
import { createWebSocketTransport, resubscribe } from '@wayleave/jsonrpc-core/websocket'
import {
  handlerLaws,
  peerHandler,
  peerHttpPort,
  peerSocketPort,
  type ScriptedPeer,
} from '@wayleave/jsonrpc-core/testing'
import { describe, expect, it } from 'vitest'

const subjects: Record<string, (peer: ScriptedPeer) => RpcHandler> = {
  'a scripted handler': peerHandler,
  'the HTTP transport': (peer) => createHttpTransport({ url: 'http://peer', http: peerHttpPort(peer) }),
  'the HTTP transport that streams': (peer) =>
    createHttpTransport({ url: 'http://peer', http: peerHttpPort(peer), answers: streamAnswers() }),
  'the batching transport': (peer) => createBatchingTransport({ url: 'http://peer', http: peerHttpPort(peer) }),
  'the WebSocket transport': (peer) =>
    createWebSocketTransport({ url: 'ws://peer', connect: peerSocketPort(peer) }).handler,
  'resubscribing over the WebSocket transport': (peer) =>
    resubscribe()(createWebSocketTransport({ url: 'ws://peer', connect: peerSocketPort(peer) }).handler),
  resubscribing: (peer) => resubscribe()(peerHandler(peer)),
  coalescing: (peer) =>
    coalesce({ key: ({ method }) => (method === 'eth_chainId' ? method : undefined), clock: systemClock })(
      peerHandler(peer),
    ),
}

for (const [name, create] of Object.entries(subjects)) {
  describe(name, () => {
    for (const law of handlerLaws({ create })) it(law.name, law.run)
  })
}

/** A handler with one fault around a scripted peer, and the laws that it breaks. */
const faults: [string, (good: RpcHandler) => RpcHandler, string[]][] = [
  [
    'prints results anew',
    (good) => async (request, context) => {
      const response = await good(request, context)
      if (response.error !== undefined || isStream(response.result)) return response
      return { result: rawJsonFromValue(response.result.value()) }
    },
    ["passes the peer's result byte for byte"],
  ],
  [
    'rejects with errors of the peer',
    (good) => async (request, context) => {
      const response = await good(request, context)
      if (response.error !== undefined) throw new RpcError('unavailable', response.error.message)
      return response
    },
    ["resolves with the peer's error"],
  ],
  [
    'does not hear of its caller',
    (good) => (request, context) => good(request, createContext({ acceptStream: context.acceptStream })),
    [
      'settles by its deadline when the peer is silent',
      'settles by its deadline when the answer stops half-way, and frees it',
      'rejects when its caller aborts',
      'asks no peer for a call that was cancelled before',
      'ends a stream with its caller',
    ],
  ],
  [
    'rejects with any error',
    (good) => (request, context) =>
      good(request, context).catch((why: RpcError) => {
        throw new Error(why.message)
      }),
    ['rejects with an RpcError when the peer drops the connection'],
  ],
  [
    'repeats whatever was dropped',
    (good) => (request, context) =>
      good(request, context).catch((why: RpcError) =>
        why.code === 'disconnected' ? good(request, context) : Promise.reject(why),
      ),
    ['never repeats a write of unknown delivery'],
  ],
  [
    'gives every user the same object',
    (good) => async (request, context) => {
      const response = await good(request, context)
      if (response.error !== undefined || isStream(response.result)) return response
      const { result } = response
      return {
        result: {
          byteLength: result.byteLength,
          chunks: () => result.chunks(),
          text: () => result.text(),
          value: () => result.value(),
          parse: () => result.value(),
        },
      }
    },
    ['never shares what a caller may change'],
  ],
  [
    'keeps its streams open',
    (good) => async (request, context) => {
      const response = await good(request, createContext({ acceptStream: context.acceptStream }))
      if (response.error !== undefined || !isStream(response.result)) return response
      const source = response.result[Symbol.asyncIterator]()
      return { result: { streaming: true, cancel() {}, [Symbol.asyncIterator]: () => ({ next: () => source.next() }) } }
    },
    ['frees a stream that is not read', 'ends a stream with its caller'],
  ],
  [
    'cuts its streams short',
    (good) => async (request, context) => {
      const response = await good(request, context)
      if (response.error !== undefined || !isStream(response.result)) return response
      const source = response.result[Symbol.asyncIterator]()
      let left = 2
      return {
        result: {
          ...response.result,
          [Symbol.asyncIterator]: () => ({
            next: async () => (left-- > 0 ? source.next() : { done: true as const, value: undefined }),
          }),
        },
      }
    },
    ['passes a stream whole and frees it at its end'],
  ],
  [
    'streams to whoever',
    (good) => (request, context) => good(request, context.fork({ acceptStream: true }).context),
    ['gives a whole value to whoever takes no stream'],
  ],
  [
    'gives up after a failure',
    (good) => {
      let failed = false
      return async (request, context) => {
        if (failed) throw new RpcError('unavailable', 'failed before')
        return good(request, context).catch((why: RpcError) => {
          failed = true
          throw why
        })
      }
    },
    ['serves the next call after a dropped one'],
  ],
  [
    'gives answers to whoever comes first',
    (good) => {
      const waiting: ((response: RpcResponse) => void)[] = []
      return (request, context) =>
        new Promise((resolve, reject) => {
          waiting.push(resolve)
          good(request, context).then((response) => waiting.shift()!(response), reject)
        })
    },
    ['gives each call its own answer, whichever comes first'],
  ],
  [
    'shares a call under the context of its first caller',
    (good) => {
      const flights = new Map<string, Promise<RpcResponse>>()
      return (request, context) => {
        const flight =
          flights.get(request.method) ?? good(request, context).finally(() => flights.delete(request.method))
        flights.set(request.method, flight)
        return flight
      }
    },
    ['lets a caller leave without taking another along'],
  ],
  [
    'listens to its caller for ever',
    (good) => (request, context) => {
      context.onCancel(() => {})
      return good(request, context)
    },
    ['forgets its caller when it has settled'],
  ],
]

describe('the laws', () => {
  it.each(faults)('are broken by a handler that %s', async (_name, spoil, broken) => {
    for (const law of handlerLaws({ create: (peer) => spoil(peerHandler(peer)) })) {
      if (!broken.includes(law.name)) continue
      const late = new Promise<string>((resolve) => setTimeout(resolve, 300, 'late'))
      const verdict = await Promise.race([
        law.run().then(
          () => 'holds',
          () => 'broken',
        ),
        late,
      ])
      expect(verdict, law.name).not.toBe('holds')
    }
  })

  it('are each broken by one of these', () => {
    const laws = handlerLaws({ create: peerHandler }).map(({ name }) => name)
    expect(new Set(faults.flatMap(([, , broken]) => broken))).toEqual(new Set(laws))
  })
})
