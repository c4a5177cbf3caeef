import type { Clock } from './clock.ts'
import type { RpcError } from './error.ts'

/** Watches one connection once it is open. Returns a function to call when the connection is over. */
export type ConnectionWatch = (connection: WatchedConnection) => () => void

/** The view that a watch has of an open connection. */
export interface WatchedConnection {
  readonly clock: Clock
  /** The time of the last message, else of the opening, on the clock's monotonic scale, in ms. */
  heardAt(): number
  /** Sends a call and ignores its answer, which counts as a message all the same. */
  ask(method: string, params: unknown): void
  /** Drops the connection. Pending calls are rejected, and the transport reconnects. */
  drop(why: RpcError): void
}
