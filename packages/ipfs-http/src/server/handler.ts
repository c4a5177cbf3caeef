import type { ByteStream, IpfsBackend } from '../backend.ts'
import type { Clock } from '../clock.ts'
import { systemClock } from '../defaults.ts'
import type { PinLedger } from '../pin-ledger.ts'
import { type CallServices, openCall } from './call.ts'
import { commandAt } from './commands.ts'
import { createPinClaims } from './pin-claims.ts'
import { answerOf, refusal } from './refusal.ts'
import { createReleases } from './releases.ts'

/** Who calls, and what they may. */
export interface IpfsProject {
  /** Under which its pins are held. */
  readonly id: string
  /** False: every call is refused with 403 `billing card required` (Spec §5). */
  readonly hasBillingCard: boolean
  /** Most bytes; 0: none; undefined: no bound. The two transfers count by calendar month, UTC. */
  readonly quota: {
    readonly storedBytes?: bigint | undefined
    readonly uploadBytes?: bigint | undefined
    readonly downloadBytes?: bigint | undefined
  }
}

export interface IpfsRequest {
  readonly method: string
  /** `/api/v0/add`, without the query. */
  readonly path: string
  /** What follows the `?`, or ''. */
  readonly query: string
  /** By lower-case names. */
  readonly headers: Readonly<Record<string, string | undefined>>
  readonly body: ByteStream
  readonly project: IpfsProject
  /** By which the log of the service knows the call. */
  readonly traceId?: string | undefined
  /** Aborts when the caller leaves. */
  readonly signal: AbortSignal
}

export interface IpfsAnswer {
  readonly status: number
  /** Without `Content-Length`, `Trailer`, `Date` and what CORS needs. */
  readonly headers: Readonly<Record<string, string>>
  /**
   * A text is whole. A stream that throws breaks off: the listener tells why in the trailer `X-Stream-Error`. Whoever gets a
   * stream iterates it to its end or calls its `return()`, or what it holds stays held.
   */
  readonly body: string | AsyncIterableIterator<Uint8Array>
}

export interface IpfsHandlerOptions {
  readonly backend: IpfsBackend
  readonly ledger: PinLedger
  readonly clock?: Clock | undefined
  /** Longest request body in bytes. Default 100 MB (100,000,000). */
  readonly maxRequestBytes?: number | undefined
  /** How long a command may wait for the backend's next byte or step in ms, where the caller names no `timeout`. Default 60,000. */
  readonly timeoutMs?: number | undefined
  /** Hears of what callers are told as `internal error`: what was thrown and is no `IpfsError`. */
  readonly onError?: ((thrown: unknown, request: IpfsRequest) => void) | undefined
}

/** Answers one call of the IPFS HTTP API. Never rejects. */
export type IpfsHandler = (request: IpfsRequest) => Promise<IpfsAnswer>

/**
 * The IPFS HTTP API over a backend: projects, their pins and quotas, Kubo's statuses, headers and lines. Source: Spec §4.12,
 * Kubo RPC `/api/v0`.
 */
export function createIpfsHandler(options: IpfsHandlerOptions): IpfsHandler {
  const services: CallServices = {
    backend: options.backend,
    ledger: options.ledger,
    claims: createPinClaims(options.ledger),
    releases: createReleases(),
    clock: options.clock ?? systemClock,
    maxRequestBytes: options.maxRequestBytes ?? 100_000_000,
    timeoutMs: options.timeoutMs ?? 60_000,
    onError: options.onError,
  }
  return async (request) => {
    try {
      if (request.method !== 'POST') throw refusal(405, '405 - Method Not Allowed\n', { Allow: 'OPTIONS, POST' })
      if (!request.project.hasBillingCard) throw refusal(403, 'billing card required')
      const command = commandAt(request.path)
      if (command === undefined) throw refusal(404, '404 page not found\n')
      return await openCall(services, request, command)
    } catch (thrown) {
      return answerOf(thrown)
    }
  }
}
