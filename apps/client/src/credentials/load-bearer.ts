import { createFetchPort, type HttpPort, RpcError, type RpcHandler, type SocketPort } from '@wayleave/jsonrpc-core'
import { connectSocket } from '@wayleave/jsonrpc-core/websocket'
import { loadOnce } from '../load-once.ts'
import { unlessCancelled } from '../unless-cancelled.ts'
import type { Bearer } from './bearer.ts'
import type { TokenProvider } from './token-source.ts'

/** The JWTs of a client, whose code loads with the first call. */
export interface LazyBearer {
  /** @throws RpcError `unavailable`, `not_sent`, where the code does not load */
  load(): Promise<Bearer>
  readonly http: HttpPort
  /** Opens sockets for a handler that is wrapped in `before`. */
  readonly connect: SocketPort
  /** Waits for a JWT before each call. */
  before(handler: RpcHandler): RpcHandler
}

/** Makes the JWTs of a client; `note` is called with each one before it is sent. @throws TypeError for a text that no header can carry */
export function loadBearer(token: string | TokenProvider, note: (token: string) => void): LazyBearer {
  if (typeof token !== 'function' && !(typeof token === 'string' && /^[\x21-\x7e]{1,8192}$/.test(token))) {
    throw new TypeError(
      'token: expected a JWT of at most 8,192 printable ASCII characters, or a function that returns one',
    )
  }
  let loaded: Bearer | undefined
  const load = loadOnce(async () => {
    try {
      return (loaded = (await import('./bearer.ts')).createBearer(token, note, createFetchPort(), connectSocket))
    } catch (cause) {
      throw new RpcError('unavailable', 'token: its code could not be loaded', { delivery: 'not_sent', cause })
    }
  })
  return {
    load,
    http: async (request, context) => (await unlessCancelled(load(), context)).http(request, context),
    connect: (url, options) => loaded!.connect(url, options),
    before: (handler) => async (request, context) => {
      await unlessCancelled(
        load().then(({ take }) => take()),
        context,
      )
      return handler(request, context)
    },
  }
}
