import type { Clock } from './clock.ts'
import { systemClock } from './defaults.ts'
import { RpcError } from './error.ts'
import type { RpcSession } from './session.ts'

/** The surroundings of a call on its way down: its deadline, its cancellation, and what its caller can take. */
export interface RpcContext {
  /** The time by which the call must have settled, on the clock's monotonic scale, in ms. */
  readonly deadline: number
  /** The reason of the cancellation; undefined while the call is wanted. */
  readonly cancelled: RpcError | undefined
  /** Calls `listener` once when the call is cancelled (at once if it was). Returns a function that forgets it. */
  onCancel(listener: (why: RpcError) => void): () => void
  /** The cancellation as a signal, made when it is first read. For `fetch` and user code, never on the hot path. */
  readonly signal: AbortSignal
  /** Whether the caller can take a {@link RawJsonStream} as the result. */
  readonly acceptStream: boolean
  /** Present when the call came in a batch. */
  readonly batch: RpcBatchInfo | undefined
  /** Present when the caller can be pushed to. */
  readonly session: RpcSession | undefined
  /** Names whom the call is made for, so that limits below can be fair: opaque. Undefined: the host itself. */
  readonly tenant: string | undefined
  /** The host's record of the call, opaque; contexts below have it, too. */
  readonly trace?: object | undefined
  /** Calls `listener` with each further tenant for which a call that several wait for is made. Returns a function that forgets it. */
  onTenant?(listener: (tenant: string | undefined) => void): () => void
  /** Makes a context of the same class below this one. It is cancelled with this one, or earlier. */
  fork(options: ForkOptions): RpcFork<this>
}

/** The batch that a call came in. Calls of one batch share one object, so its identity tells the batch. */
export interface RpcBatchInfo {
  readonly size: number
}

export interface ForkOptions {
  readonly deadline?: number
  readonly acceptStream?: boolean
  readonly batch?: RpcBatchInfo
}

/** A forked context with the two ways to end it. */
export interface RpcFork<C> {
  readonly context: C
  cancel(why: RpcError): void
  /** Ends the fork without cancelling: stops its timer and forgets its parent. Call it when the work is done. */
  release(): void
}

/** The parts that a {@link CallContext} is made from. */
export interface ContextInit {
  readonly clock: Clock
  readonly deadline: number
  readonly acceptStream?: boolean | undefined
  readonly batch?: RpcBatchInfo | undefined
  readonly session?: RpcSession | undefined
  /** A context with a parent has its parent's. */
  readonly tenant?: string | undefined
  /** The context above. This one is cancelled with it, and needs its own timer only for an earlier deadline. */
  readonly parent?: CallContext | undefined
  /** Cancels the context when it aborts; for a context without a parent. */
  readonly signal?: AbortSignal | undefined
  /** Sets no timer: the maker of the context keeps its deadline. */
  readonly untimed?: boolean
}

type CancelListener = (why: RpcError) => void

/**
 * The context of this package. A host that knows more (project, network) extends it and overrides `derive`.
 * Its maker calls `release` when the call has settled.
 */
export class CallContext implements RpcContext {
  readonly acceptStream: boolean
  readonly batch: RpcBatchInfo | undefined
  readonly session: RpcSession | undefined
  /** Only the owner of an untimed context may move it, and only to a later time. */
  deadline: number
  cancelled: RpcError | undefined
  protected readonly clock: Clock
  readonly tenant: string | undefined
  /** Written by the maker of the context alone, before it is passed on. */
  trace: object | undefined
  /** Most contexts have one at most, which needs no `Set`. */
  #listeners: Set<CancelListener> | CancelListener | undefined
  #controller: AbortController | undefined
  #stopTimer: (() => void) | undefined
  #leaveParent: (() => void) | undefined

  constructor({ clock, deadline, acceptStream = false, batch, session, tenant, parent, signal, untimed }: ContextInit) {
    this.clock = clock
    this.tenant = parent?.tenant ?? tenant
    this.trace = parent?.trace
    this.deadline = deadline
    this.acceptStream = acceptStream
    this.batch = batch
    this.session = session
    if (parent !== undefined) this.#leaveParent = parent.onCancel((why) => this.cancel(why))
    else if (signal !== undefined) this.#follow(signal)
    if (untimed || this.cancelled !== undefined || deadline >= (parent?.deadline ?? Number.POSITIVE_INFINITY)) return
    this.#stopTimer = clock.after(deadline - clock.now(), () =>
      this.cancel(new RpcError('timeout', 'no answer within the time allowed')),
    )
  }

  get signal(): AbortSignal {
    if (this.#controller === undefined) {
      this.#controller = new AbortController()
      if (this.cancelled !== undefined) this.#controller.abort(this.cancelled)
    }
    return this.#controller.signal
  }

  onCancel(listener: CancelListener): () => void {
    if (this.cancelled !== undefined) {
      listener(this.cancelled)
      return () => {}
    }
    if (this.#listeners instanceof Set) this.#listeners.add(listener)
    else this.#listeners = this.#listeners ? new Set([this.#listeners, listener]) : listener
    return () => {
      if (this.#listeners instanceof Set) this.#listeners.delete(listener)
      else if (this.#listeners === listener) this.#listeners = undefined
    }
  }

  fork({ deadline = this.deadline, acceptStream = this.acceptStream, batch = this.batch }: ForkOptions): RpcFork<this> {
    const { clock, session } = this
    deadline = Math.min(deadline, this.deadline)
    const context = this.derive({ clock, deadline, acceptStream, batch, session, parent: this })
    return { context, cancel: (why) => context.cancel(why), release: () => context.release() }
  }

  /** Makes the forked context; a subclass returns its own kind. */
  protected derive(init: ContextInit): this {
    return new CallContext(init) as this
  }

  /** Cancels this context and all below it; the first reason stays. */
  cancel(why: RpcError): void {
    if (this.cancelled !== undefined) return
    this.cancelled = why
    this.release()
    this.#controller?.abort(why)
    if (this.#listeners instanceof Set) notifyAll(this.#listeners, why)
    else this.#listeners?.(why)
  }

  /** Stops the timer and leaves the parent. Listeners stay: work that outlives its call can still be cancelled. */
  release(): void {
    this.#stopTimer?.()
    this.#leaveParent?.()
    this.#stopTimer = this.#leaveParent = undefined
  }

  #follow(signal: AbortSignal): void {
    const abort = (): void =>
      this.cancel(new RpcError('aborted', 'the caller aborted the call', { cause: signal.reason }))
    if (signal.aborted) return abort()
    signal.addEventListener('abort', abort)
    this.#leaveParent = () => signal.removeEventListener('abort', abort)
  }
}

/** Calls every listener, also after one has thrown. Then throws the first error. */
export function notifyAll<T>(listeners: Iterable<(reported: T) => void>, reported: T): void {
  let thrown: { readonly error: unknown } | undefined
  for (const listener of listeners) {
    try {
      listener(reported)
    } catch (error) {
      thrown ??= { error }
    }
  }
  if (thrown !== undefined) throw thrown.error
}

export interface CreateContextOptions {
  /** Default: the system clock. */
  readonly clock?: Clock
  /** How long the call may take, in ms. Default 30,000. */
  readonly timeoutMs?: number | undefined
  /** Cancels the call when it aborts. */
  readonly signal?: AbortSignal | undefined
  readonly acceptStream?: boolean
  readonly session?: RpcSession | undefined
  readonly tenant?: string | undefined
}

/** Makes the context of a call that begins here. Call its `release` when the call has settled. */
export function createContext(options: CreateContextOptions = {}): CallContext {
  const { clock = systemClock, timeoutMs = 30_000, acceptStream, session, tenant, signal } = options
  return new CallContext({ clock, deadline: clock.now() + timeoutMs, acceptStream, session, tenant, signal })
}
