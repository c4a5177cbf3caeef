import { collectStream } from '../answer-stream.ts'
import type { Clock } from '../clock.ts'
import { CallContext, type ContextInit, type RpcContext, notifyAll } from '../context.ts'
import type { RpcError } from '../error.ts'
import type { RpcMiddleware } from '../handler.ts'
import { isStream } from '../raw-json.ts'
import type { RpcRequest } from '../request.ts'
import type { RpcResponse } from '../response.ts'

export interface CoalesceOptions {
  /** Returns the key of a call; calls of one key are shared. Undefined: never shared. Only calls without effects may have a key. */
  readonly key: (request: RpcRequest) => string | undefined
  readonly clock: Clock
  /** Longest result that several waiters share, in bytes. Default 32 MiB. */
  readonly maxSharedBytes?: number
  /** Called with each call that joins one in flight, and with the context of that one, whose `trace` is that of its first caller. */
  readonly onJoin?: (context: RpcContext, flight: RpcContext) => void
}

/**
 * Fewest flights before those that are left move to a new `Map`. V8 leaves each table that a `Map` has outgrown, with the entries of that time, and
 * has it point to the next one: once one of them is old, all that follow live until everything is collected, and so does what they held.
 */
const fewest = 256

/**
 * Merges identical calls in flight into one; finished ones are never reused. The merged call knows no caller:
 * it has the latest deadline and the tenants of its waiters, and is cancelled with the last of them.
 */
export function coalesce(options: CoalesceOptions): RpcMiddleware<RpcContext> {
  const { key: keyOf, onJoin } = options
  return (next) => {
    let flights = new Map<string, Flight>()
    let left = 0
    return (request, context) => {
      const key = keyOf(request)
      if (key === undefined) return next(request, context)
      if (context.cancelled !== undefined) return Promise.reject(context.cancelled)
      let flight = flights.get(key)
      if (flight === undefined) {
        const begun = new Flight(context, options, () => {
          // After a cancelled flight, another may have begun under its key.
          if (flights.get(key) === begun) flights.delete(key)
        })
        begun.start(next(request, begun))
        if (--left < 0) {
          flights = new Map(flights)
          left = fewest + flights.size
        }
        flights.set(key, begun)
        flight = begun
      } else onJoin?.(context, flight)
      return flight.join(context)
    }
  }
}

interface Waiter {
  readonly context: RpcContext
  readonly resolve: (response: RpcResponse) => void
  readonly reject: (why: unknown) => void
  forget: (() => void) | undefined
}

/** A context below a flight: it is made for the tenants of all its waiters. */
class FlightFork extends CallContext {
  readonly #flight: Flight

  constructor(init: ContextInit, flight: Flight) {
    super(init)
    this.#flight = flight
  }

  protected override derive(init: ContextInit): this {
    return new FlightFork(init, this.#flight) as this
  }

  onTenant(listener: (tenant: string | undefined) => void): () => void {
    return this.#flight.onTenant(listener)
  }
}

/** Time for a handler to end a call whose time is over, in ms. */
const graceMs = 20

/** A call that several may wait for, and its context. It needs no timer: each waiter has one, and the flight ends with the last waiter. */
class Flight extends CallContext {
  readonly #waiters = new Set<Waiter>()
  readonly #options: CoalesceOptions
  readonly #over: () => void
  #tenants: Set<string | undefined> | undefined
  #tenantListeners: Set<(tenant: string | undefined) => void> | undefined
  /** Present once it has landed, or is waited for no longer. */
  #stopGrace: (() => void) | undefined

  constructor(leader: RpcContext, options: CoalesceOptions, over: () => void) {
    const { deadline, acceptStream, batch, tenant } = leader
    super({ clock: options.clock, deadline, acceptStream, batch, tenant, untimed: true })
    this.trace = leader.trace
    this.#options = options
    this.#over = over
  }

  start(response: Promise<RpcResponse>): void {
    response.then((landed) => this.#land(landed)).catch((why: unknown) => this.#fail(why))
  }

  /** Adds a waiter, whose context is not cancelled. */
  join(context: RpcContext): Promise<RpcResponse> {
    this.deadline = Math.max(this.deadline, context.deadline)
    this.#joinedBy(context.tenant)
    return new Promise((resolve, reject) => {
      const waiter: Waiter = { context, resolve, reject, forget: undefined }
      this.#waiters.add(waiter)
      waiter.forget = context.onCancel((why) => this.#leave(waiter, why))
    })
  }

  onTenant(listener: (tenant: string | undefined) => void): () => void {
    const listeners = (this.#tenantListeners ??= new Set())
    listeners.add(listener)
    for (const tenant of this.#tenants ?? []) listener(tenant)
    return () => listeners.delete(listener)
  }

  protected override derive(init: ContextInit): this {
    return new FlightFork(init, this) as unknown as this
  }

  /** Tells those who queue the flight that somebody else waits for it, too. */
  #joinedBy(tenant: string | undefined): void {
    if (tenant === this.tenant || this.#tenants?.has(tenant) === true) return
    ;(this.#tenants ??= new Set()).add(tenant)
    if (this.#tenantListeners !== undefined) notifyAll(this.#tenantListeners, tenant)
  }

  #leave(waiter: Waiter, why: RpcError): void {
    if (this.#waiters.size === 1 && why.code === 'timeout' && this.#stopGrace === undefined) {
      // The handler below ends at once, and tells how the time went.
      this.#stopGrace = this.#options.clock.after(graceMs, () => this.#fail(why))
    } else {
      if (!this.#waiters.delete(waiter)) return
      waiter.reject(why)
      if (this.#waiters.size > 0) return
    }
    this.#over()
    this.cancel(why)
  }

  #land(response: RpcResponse): void {
    this.#stopGrace ??= this.#over
    if (response.error !== undefined || !isStream(response.result)) {
      this.#settle((waiter) => waiter.resolve(response))
      return
    }
    this.#over()
    const stream = response.result
    const [only] = this.#waiters.values()
    if (only === undefined) stream.cancel()
    else if (this.#waiters.size === 1 && only.context.acceptStream) {
      this.#settle((waiter) => waiter.resolve(response))
      // The stream outlives the flight, and ends with its reader.
      only.context.onCancel((why) => this.cancel(why))
    } else {
      const forget = this.onCancel(() => stream.cancel())
      collectStream(stream, this.#options.maxSharedBytes ?? 32 * 1024 * 1024)
        .then((result) => this.#settle((waiter) => waiter.resolve({ ...response, result })))
        .then(undefined, (why: unknown) => this.#fail(why))
        .finally(forget)
    }
  }

  #fail(why: unknown): void {
    this.#over()
    this.#settle((waiter) => waiter.reject(why))
  }

  #settle(report: (waiter: Waiter) => void): void {
    this.#stopGrace?.()
    for (const waiter of this.#waiters.values()) {
      waiter.forget!()
      report(waiter)
    }
    this.#waiters.clear()
  }
}
