import type { Clock } from './clock.ts'
import { systemClock } from './defaults.ts'
import { RpcError } from './error.ts'
import type { RpcSession } from './session.ts'

/** What surrounds a call on its way down: how long it may take, and whether somebody still waits. */
export interface RpcContext {
  /** When the call must have settled, on the clock's monotonic scale, in ms. */
  readonly deadline: number
  /** Why the call was cancelled, once it was. */
  readonly cancelled: RpcError | undefined
  /** Calls `listener` once when the call is cancelled (at once if it was). Returns a function that forgets it. */
  onCancel(listener: (why: RpcError) => void): () => void
  /** The same as a signal, made when first read: for `fetch` and for user code, never on the hot path. */
  readonly signal: AbortSignal
  /** Whether the caller can take a {@link RawJsonStream} as the result. */
  readonly acceptStream: boolean
  /** Present when the call came in a batch. */
  readonly batch: RpcBatchInfo | undefined
  /** Present when the caller can be pushed to. */
  readonly session: RpcSession | undefined
  /** A context of the same class below this one: cancelled with it, or earlier. */
  fork(options: ForkOptions): RpcFork<this>
}

/** One object a batch, so that calls of the same batch can be told by identity. */
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

/** What a {@link CallContext} is made from. */
export interface ContextInit {
  readonly clock: Clock
  readonly deadline: number
  readonly acceptStream?: boolean | undefined
  readonly batch?: RpcBatchInfo | undefined
  readonly session?: RpcSession | undefined
  /** The context above: this one ends with it and needs a timer of its own only for an earlier deadline. */
  readonly parent?: CallContext | undefined
  /** Cancels the context when it aborts; for a context without a parent. */
  readonly signal?: AbortSignal | undefined
  /** No timer: whoever made the context sees to its deadline. */
  readonly untimed?: boolean
}

type CancelListener = (why: RpcError) => void

/**
 * The context of this package. A host that knows more (project, network) extends it and overrides `derive`.
 * Whoever makes one calls `release` when the call has settled.
 */
export class CallContext implements RpcContext {
  readonly acceptStream: boolean
  readonly batch: RpcBatchInfo | undefined
  readonly session: RpcSession | undefined
  /** Moved later only by the owner of a context without a timer. */
  deadline: number
  cancelled: RpcError | undefined
  protected readonly clock: Clock
  #listeners: Set<CancelListener> | undefined
  #controller: AbortController | undefined
  #stopTimer: (() => void) | undefined
  #leaveParent: (() => void) | undefined

  constructor({ clock, deadline, acceptStream = false, batch, session, parent, signal, untimed }: ContextInit) {
    this.clock = clock
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
    const listeners = (this.#listeners ??= new Set())
    listeners.add(listener)
    return () => listeners.delete(listener)
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
    const listeners = this.#listeners
    this.#listeners = undefined
    if (listeners !== undefined) tellAll(listeners, why)
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
    signal.addEventListener('abort', abort, { once: true })
    this.#leaveParent = () => signal.removeEventListener('abort', abort)
  }
}

/** One listener that throws must not keep the others from hearing. */
export function tellAll<T>(listeners: Iterable<(told: T) => void>, told: T): void {
  let thrown: { readonly error: unknown } | undefined
  for (const listener of listeners) {
    try {
      listener(told)
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
}

/** A context for a call that begins here. Call `release` on it when the call has settled. */
export function createContext(options: CreateContextOptions = {}): CallContext {
  const { clock = systemClock, timeoutMs = 30_000, acceptStream, session, signal } = options
  return new CallContext({ clock, deadline: clock.now() + timeoutMs, acceptStream, session, signal })
}
