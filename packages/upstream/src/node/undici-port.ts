import { type HttpPort, RpcError } from '@wayleave/jsonrpc-core'
import { Pool } from 'undici'
import { Exchange } from './exchange.ts'

export interface UndiciPortOptions {
  /** Most connections to one origin. Default 128. */
  readonly connections?: number
  /** How long a connection may take to open, in ms. Default 5,000. */
  readonly connectTimeoutMs?: number
}

export interface UndiciPort {
  readonly http: HttpPort
  /** Ends idle connections and those in use. */
  close(): Promise<void>
}

/**
 * An `HttpPort` over undici's `dispatch`, with keep-alive connections: a quarter of the CPU time of `fetch`.
 * A body of up to 128 kB is collected here and costs its reader no turn; a longer one arrives as it is read.
 */
export function createUndiciPort(options: UndiciPortOptions = {}): UndiciPort {
  const pools = new Map<string, Pool>()
  const targets = new Map<string, { readonly pool: Pool; readonly path: string }>()
  let closed = false

  function target(url: string): { readonly pool: Pool; readonly path: string } {
    // Bounded: one entry a configured endpoint.
    let found = targets.get(url)
    if (found === undefined) {
      if (closed) throw new RpcError('connect', 'the port is closed', { delivery: 'not_sent' })
      // The platform's own error holds the URL.
      if (!URL.canParse(url))
        throw new RpcError('connect', 'the URL of the peer is not valid', { delivery: 'not_sent' })
      const { origin, pathname, search } = new URL(url)
      let pool = pools.get(origin)
      if (pool === undefined) {
        pool = new Pool(origin, {
          connections: options.connections ?? 128,
          connectTimeout: options.connectTimeoutMs ?? 5_000,
          // The context's deadline covers headers and body.
          headersTimeout: 0,
          bodyTimeout: 0,
        })
        pools.set(origin, pool)
      }
      found = { pool, path: pathname + search }
      targets.set(url, found)
    }
    return found
  }

  return {
    http: ({ url, headers, body }, context) =>
      new Promise((resolve, reject) => {
        const { pool, path } = target(url)
        const exchange = new Exchange(context, resolve, reject)
        pool.dispatch({ path, method: 'POST', headers: headers as string[], body }, exchange)
      }),
    async close() {
      closed = true
      await Promise.all([...pools.values()].map((pool) => pool.destroy()))
    },
  }
}
