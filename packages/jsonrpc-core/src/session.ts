import type { RpcError } from './error.ts'
import type { Position, RawJson } from './wire.ts'

/** A live subscription, as a value on the response: pushes start only when `open` is called. */
export interface RpcSubscription {
  readonly id: string
  /** What the params of its notifications call the id. Default `subscription`; Starknet says `subscription_id`. */
  readonly idName?: 'subscription' | 'subscription_id' | undefined
  /**
   * Starts delivery, once; events that came meanwhile are delivered first.
   * Returns unsubscribe, which may be called more than once, also after the end: only the first call before it counts.
   */
  open(sink: RpcSink): () => void
}

/** Where a subscription's events go. Its methods must not throw. */
export interface RpcSink {
  /** One event under its notification method. False: the receiver is slow. */
  event(method: string, result: RawJson): boolean
  /** Events may be missing. */
  gap(gap: RpcGap): void
  /** No more events; `why` is absent after an orderly end. */
  end(why?: RpcError): void
}

/** Where events may be missing from a subscription. */
export interface RpcGap {
  readonly reason: string
  /** The place in the chain after which they may be missing. */
  readonly after?: Position | undefined
  /** The last event before them, where there was one. */
  readonly last?: RawJson | undefined
  /** The first event after them: the sink is given it next. */
  readonly first?: RawJson | undefined
}

/** One connection that can be pushed to. */
export interface RpcSession {
  /** Unsubscribe functions by the id that the caller knows. The server adds and removes them; a host may call them at any time. */
  readonly subscriptions: Map<string, () => void>
  /** Sends one message. False: the receiver is slow; past the host's cap the host closes with 1013. */
  send(message: string): boolean
  /** Calls `listener` once when the connection is gone. Returns a function that forgets it. */
  onClose(listener: () => void): () => void
  close(code: number, reason: string): void
}
