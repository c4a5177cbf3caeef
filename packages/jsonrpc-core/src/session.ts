import type { CloseReason } from './close-reason.ts'
import type { RpcError } from './error.ts'
import type { Position, RawJson } from './wire.ts'

/** A live subscription, as a value on the response. Pushes start only when `open` is called. */
export interface RpcSubscription {
  readonly id: string
  /** The name of the id in the params of its notifications. Default `subscription`; Starknet says `subscription_id`. */
  readonly idName?: 'subscription' | 'subscription_id' | undefined
  /**
   * Starts delivery, once; events that came meanwhile are delivered first.
   * Returns a function that unsubscribes. Only its first call before the end has an effect.
   */
  open(sink: RpcSink): () => void
}

/** The receiver of a subscription's events. Its methods must not throw. */
export interface RpcSink {
  /** Takes one event under its notification method. False: the receiver is slow. */
  event(method: string, result: RawJson): boolean
  /** Resolves when a receiver that was slow has room, or is gone. Absent or undefined: it takes any number of events. */
  drained?(): Promise<void> | undefined
  /** Takes the news that events may be missing. */
  gap(gap: RpcGap): void
  /** Takes the end: no more events come. `why` is absent after an orderly end. */
  end(why?: RpcError): void
  /** Takes the news that all events up to this block were told, and none after it. Only some sources know it. */
  reached?(at: Position): void
}

/** A place where events may be missing from a subscription. */
export interface RpcGap {
  readonly reason: string
  /** The place in the chain after which they may be missing. */
  readonly after?: Position | undefined
  /** The last event before them, if there was one. */
  readonly last?: RawJson | undefined
  /** The first event after them; the sink gets it next. */
  readonly first?: RawJson | undefined
}

/** One connection that can be pushed to. */
export interface RpcSession {
  /** Functions that unsubscribe, by the id that the caller knows. The server adds and removes them; a host may call them at any time. */
  readonly subscriptions: Map<string, () => void>
  /**
   * Sends one event of a subscription. `result` is the same object for all who are told the event, so that a host can encode it once.
   * False: the receiver is slow. Past its cap, the host closes the connection as `slow`.
   */
  sendEvent(method: string, subscription: Pick<RpcSubscription, 'id' | 'idName'>, result: RawJson): boolean
  /** Resolves when a receiver that was slow has room, or is gone. Default: nobody can tell. */
  drained?(): Promise<void>
  /** Takes the news that all events of the subscription `id` up to this block were sent. Default: nobody asks. */
  reached?(id: string, at: Position): void
  /** Calls `listener` once when the connection is gone. Returns a function that forgets it. */
  onClose(listener: () => void): () => void
  /** Ends the connection for a reason, which its host puts into its protocol. `text` says more than the reason does. */
  close(reason: CloseReason, text?: string): void
}
