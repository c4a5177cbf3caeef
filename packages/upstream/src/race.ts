import {
  type ForkOptions,
  type RpcBatchInfo,
  type RpcContext,
  RpcError,
  type RpcFork,
  type RpcSession,
} from '@wayleave/jsonrpc-core'
import { patienceMs } from './failsafe/hedging.ts'
import type { MethodClass } from './health/class-health.ts'
import type { Candidate } from './selection/candidate.ts'

type Listener = (why: RpcError) => void

/** The reason why an attempt is given up that another one has superseded. */
export const superseded: RpcError = new RpcError('aborted', 'another upstream was faster')

/**
 * The context of an attempt that may be given up while its call goes on. It is cheaper than a fork, as nearly every read has one: it
 * has no timer, and follows the call's context only while somebody listens.
 */
export class Race implements RpcContext {
  /** The upstream that is asked. */
  readonly candidate: Candidate
  readonly #call: RpcContext
  /** Whether another attempt of the call was on its way when this one began. */
  readonly isHedge: boolean
  /** The time at which it began, in ms. */
  readonly since: number
  #cancelled: RpcError | undefined
  /** Nearly every one has one, which needs no `Set`. */
  #listeners: Set<Listener> | Listener | undefined
  #leaveCall: (() => void) | undefined
  #controller: AbortController | undefined

  constructor(call: RpcContext, candidate: Candidate, isHedge: boolean, since: number) {
    this.#call = call
    this.candidate = candidate
    this.isHedge = isHedge
    this.since = since
  }

  get deadline(): number {
    return this.#call.deadline
  }

  get cancelled(): RpcError | undefined {
    return this.#cancelled ?? this.#call.cancelled
  }

  get acceptStream(): boolean {
    return this.#call.acceptStream
  }

  /** A hedge is in a hurry, and leaves alone. */
  get batch(): RpcBatchInfo | undefined {
    return this.isHedge ? undefined : this.#call.batch
  }

  get session(): RpcSession | undefined {
    return this.#call.session
  }

  get tenant(): string | undefined {
    return this.#call.tenant
  }

  get trace(): object | undefined {
    return this.#call.trace
  }

  get signal(): AbortSignal {
    if (this.#controller === undefined) {
      const controller = (this.#controller = new AbortController())
      this.onCancel((why) => controller.abort(why))
    }
    return this.#controller.signal
  }

  onTenant(listener: (tenant: string | undefined) => void): () => void {
    return this.#call.onTenant?.(listener) ?? (() => {})
  }

  onCancel(listener: (why: RpcError) => void): () => void {
    const { cancelled } = this
    if (cancelled !== undefined) {
      listener(cancelled)
      return () => {}
    }
    if (this.#listeners instanceof Set) this.#listeners.add(listener)
    else this.#listeners = this.#listeners === undefined ? listener : new Set([this.#listeners, listener])
    this.#leaveCall ??= this.#call.onCancel((why) => this.cancel(why))
    return () => {
      if (this.#listeners instanceof Set) {
        this.#listeners.delete(listener)
        if (this.#listeners.size > 0) return
      } else if (this.#listeners !== listener) return
      this.#listeners = undefined
      this.release()
    }
  }

  /** Makes a context of the class of the call's, below this one. */
  fork(options: ForkOptions): RpcFork<this> {
    const fork = this.#call.fork(options) as unknown as RpcFork<this>
    const forget = this.onCancel((why) => fork.cancel(why))
    return {
      context: fork.context,
      cancel(why) {
        forget()
        fork.cancel(why)
      },
      release() {
        forget()
        fork.release()
      },
    }
  }

  /** Gives the attempt up; the first reason stays. */
  cancel(why: RpcError): void {
    if (this.#cancelled !== undefined) return
    this.#cancelled = why
    this.release()
    const listeners = this.#listeners
    this.#listeners = undefined
    if (listeners instanceof Set) for (const listener of listeners) listener(why)
    else listeners?.(why)
  }

  /** Follows the call no longer: the attempt has ended. */
  release(): void {
    this.#leaveCall?.()
    this.#leaveCall = undefined
  }
}

/** The time until all attempts have been silent for longer than is usual, in ms; 0 or less: they have been. */
export function patienceLeft(attempts: readonly Race[], methodClass: MethodClass, now: number): number {
  return attempts.reduce(
    (most, { since, candidate }) => Math.max(most, since + patienceMs(candidate, methodClass) - now),
    0,
  )
}
