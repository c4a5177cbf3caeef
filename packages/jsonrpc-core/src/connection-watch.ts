import type { Clock } from './clock.ts'
import type { RpcError } from './error.ts'

/** Watches one connection from when it is open. The function it returns is called when the connection is over. */
export type ConnectionWatch = (connection: WatchedConnection) => () => void

/** An open connection, as a watch sees it. */
export interface WatchedConnection {
  readonly clock: Clock
  /** When the last message came, or else when the connection opened, on the clock's monotonic scale, in ms. */
  heardAt(): number
  /** Sends a call; its answer is heard and dropped. */
  ask(method: string, params: unknown): void
  /** Drops the connection: what is pending is rejected, and the transport connects again. */
  drop(why: RpcError): void
}
