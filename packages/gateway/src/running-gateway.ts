import type { ChainSource } from './chains/pin-chains.ts'
import type { Config } from './config/config.ts'
import type { ReloadReport } from './config/config-diff.ts'
import type { Channel } from './shared-state/channel.ts'

/** A gateway that is listening. */
export interface RunningGateway {
  /** `http://host:port` of JSON-RPC; `https:` with TLS. */
  readonly rpc: string
  /** `ws://host:port` of the same listener; `wss:` with TLS. */
  readonly ws: string
  /** The same as `rpc`, where it serves the gas API; undefined where no network has one. */
  readonly gas: string | undefined
  /** `http://host:port` of the IPFS API, `https:` with TLS; undefined where it is not served. */
  readonly ipfs: string | undefined
  /** `http://host:port` of health, status and metrics; empty in a worker, which serves none of these. */
  readonly admin: string
  /** `http://host:port/console/` of the console; undefined where it is not served. */
  readonly console: string | undefined
  /** Chain ids by network, as they are configured at the moment: texts for Starknet. */
  readonly networks: Readonly<Record<string, number | string>>
  /** The networks whose configuration names no chain id: whether their nodes told it at the last start or reload, or at an earlier one. */
  readonly chainSources: Readonly<Record<string, ChainSource>>
  /** Serves a worker, at the other end of the channel, what must agree; the function returned ends that. Undefined without `hasWorkers`. */
  readonly serveWorker: ((channel: Channel, slot?: number) => () => void) | undefined
  /** The state that other replicas of the gateway do not know, in words. */
  readonly perProcess: readonly string[]
  /**
   * Puts another checked configuration into force, as a whole, or tells why not: nothing has changed then. Networks that are the same go
   * on; calls in flight at the others end where they are, and what callers have open goes on over the new ones. Configurations that come
   * while one is under way wait their turn. Never rejects.
   */
  reload(config: Config): Promise<ReloadReport>
  /**
   * Prepares the end for balancers that go on sending: `/readyz` is 503 at once, and each answer ends its connection, while everything is
   * still served. Resolves after `shutdown.delayMs`, or once `close` is called.
   */
  drain(): Promise<void>
  /**
   * Takes no more connections, lets calls in flight finish for up to `graceMs` (default: `shutdown.graceMs`), then ends them. If it is
   * called again, the grace that ends first holds.
   */
  close(graceMs?: number): Promise<void>
  [Symbol.asyncDispose](): Promise<void>
}
