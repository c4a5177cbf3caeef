import { type Clock, type HttpPort, RpcError, systemClock } from '@wayleave/jsonrpc-core'
import { Pool } from 'undici'
import { type Connector, createConnector, type Way } from './connector.ts'
import { Exchange, type Load } from './exchange.ts'
import { hostName } from './host-name.ts'
import { joinWrites } from './join-writes.ts'
import { watchConnections } from './kept-socket.ts'
import type { Turns } from '../turns.ts'

export interface UndiciPortOptions extends Way {
  /** Most connections to one origin. Default 128. */
  readonly connections?: number
  /** Time that a connection may take to open, in ms. Default 5,000. */
  readonly connectTimeoutMs?: number
  /** Most calls that wait for a connection to one origin. Default 1,000. */
  readonly maxQueued?: number
  /** Shared by the ports of a process, for 4 kB of a long body a unit. Default: each body is read as fast as it comes. */
  readonly turns?: Turns
  readonly clock?: Pick<Clock, 'now'>
}

export interface UndiciPort {
  readonly http: HttpPort
  /** Opens new connections for all further calls, as the name of a peer may have another address by now. Calls under way end on theirs. */
  renew(): void
  /** Ends idle connections and those in use. */
  close(): Promise<void>
}

/** Age at which connections to a name are replaced, in ms: it may have another address by now. */
const oldestMs = 25_000

interface Origin {
  readonly url: string
  /** Whether its host or that of the proxy is a name, which may move. */
  readonly isNamed: boolean
  openedAt: number
  pool: Pool
  readonly load: Load
}

interface Target {
  readonly origin: Origin
  /** A whole URL where a proxy sends the request on (RFC 9112 §3.2.2). */
  readonly path: string
  /** Headers where a proxy sends the request on, flat: `host`, and the password. */
  readonly further?: readonly string[]
}

/**
 * Makes an `HttpPort` over undici's `dispatch`, with keep-alive connections, at a quarter of the CPU time of `fetch`.
 * A body of up to 128 kB is collected, and costs its reader no turn of the event loop; a longer one is read while it arrives.
 */
export function createUndiciPort(options: UndiciPortOptions = {}): UndiciPort {
  const { connections = 128, connectTimeoutMs = 5_000, maxQueued = 1_000, turns, proxy, clock = systemClock } = options
  const connectTo = joined(createConnector(options, connectTimeoutMs))
  const openToProxy = createConnector({}, connectTimeoutMs)
  // Without a name of TLS it is that of the proxy: undici passes that of the `host` header.
  const connectToProxy = joined((to, done) => openToProxy({ ...to, servername: '' }, done))
  const origins = new Map<string, Origin>()
  const targets = new Map<string, Target>()
  /** Pools whose last calls are under way. */
  const retired = new Set<Pool>()
  let closed = false
  watchConnections()

  /** Whether a proxy is sent the requests to an origin themselves: many open no tunnel to another port than 443. */
  const isSentOn = (origin: string): boolean => proxy !== undefined && origin.startsWith('http:')

  function openPool(origin: string): Pool {
    const sentOn = isSentOn(origin)
    return new Pool(sentOn ? new URL(proxy!.url).origin : origin, {
      connections,
      connect: sentOn ? connectToProxy : connectTo,
      // The context's deadline covers headers and body.
      headersTimeout: 0,
      bodyTimeout: 0,
    })
  }

  function openOrigin(url: string): Origin {
    const load: Load = {
      inFlight: 0,
      turns,
      generation: 0,
      onStale(generation) {
        if (generation === load.generation) renew(origin)
      },
    }
    const isNamed = mayMove(url) || (proxy !== undefined && mayMove(proxy.url))
    const origin: Origin = { url, isNamed, openedAt: clock.now(), pool: openPool(url), load }
    return origin
  }

  function renew(origin: Origin): void {
    if (closed) return
    const { pool, load } = origin
    load.generation++
    origin.pool = openPool(origin.url)
    origin.openedAt = clock.now()
    retired.add(pool)
    void pool.close().finally(() => retired.delete(pool))
  }

  function target(url: string): Target {
    // Bounded: one entry a configured endpoint.
    let found = targets.get(url)
    if (found === undefined) {
      if (closed) throw new RpcError('connect', 'the port is closed', { delivery: 'not_sent' })
      // The platform's own error holds the URL.
      if (!URL.canParse(url))
        throw new RpcError('connect', 'the URL of the peer is not valid', { delivery: 'not_sent' })
      const { origin, host, pathname, search } = new URL(url)
      let known = origins.get(origin)
      if (known === undefined) origins.set(origin, (known = openOrigin(origin)))
      found = { origin: known, path: pathname + search }
      if (isSentOn(origin)) {
        const authorization = proxy!.authorization === undefined ? [] : ['proxy-authorization', proxy!.authorization]
        found = { origin: known, path: origin + found.path, further: ['host', host, ...authorization] }
      }
      targets.set(url, found)
    }
    return found
  }

  return {
    http: ({ url, headers, body }, context) =>
      new Promise((resolve, reject) => {
        const { origin, path, further } = target(url)
        if (origin.isNamed && clock.now() - origin.openedAt > oldestMs) renew(origin)
        const { pool, load } = origin
        if (load.inFlight >= connections + maxQueued) {
          throw new RpcError('overloaded', 'too many calls wait for a connection', { delivery: 'not_sent' })
        }
        const exchange = new Exchange(context, load, resolve, reject)
        const sent = further === undefined ? headers : [...headers, ...(hasHost(headers) ? further.slice(2) : further)]
        pool.dispatch({ path, method: 'POST', headers: sent as string[], body }, exchange)
      }),
    renew() {
      for (const origin of origins.values()) renew(origin)
    },
    async close() {
      closed = true
      await Promise.all([...retired, ...[...origins.values()].map(({ pool }) => pool)].map((pool) => pool.destroy()))
    },
  }
}

/** Tells whether the host of a URL is a name, which may have another address by now. */
function mayMove(url: string): boolean {
  return !['', 'localhost'].includes(hostName(url))
}

/** Has new connections write short requests at once. */
function joined(open: Connector): Connector {
  return (to, done) =>
    open(to, (...result) => {
      if (result[0] === null) joinWrites(result[1])
      done(...result)
    })
}

/** Tells whether flat headers name a host of their own. */
function hasHost(headers: readonly string[]): boolean {
  return headers.some((name, i) => i % 2 === 0 && name.toLowerCase() === 'host')
}
