import type { RpcError, RpcServer } from '@wayleave/jsonrpc-core'
import type { ApiVersions } from '@wayleave/network'
import type { GatewayContext } from './context/context.ts'
import type { EventBlocks } from './events/rest-of-block.ts'
import type { Probe } from './health/probe.ts'
import type { MeteredPlace } from './metering/metering.ts'
import type { NetworkMetrics } from './telemetry/metrics.ts'

/** The upstreams of a network, as their callers see them. */
export interface ShownUpstreams {
  /** The names, in the order of the configuration. */
  readonly upstreams: readonly string[]
  /** Whether a project is told upstreams by name. */
  showsUpstream(project: string): boolean
}

/** A network that is being served, as the listeners see it. */
export interface Network extends ShownUpstreams {
  readonly name: string
  readonly server: RpcServer<GatewayContext>
  /** The blocks that streams of events go on from. Default: heads are not followed, so none can. */
  readonly events?: EventBlocks | undefined
  readonly metrics: NetworkMetrics
  /** Its name and its methods in prices and usage. */
  readonly place: MeteredPlace
  /** Looks whether the network can serve now. */
  readonly probe: Probe
  /** Leaves an upstream alone from now on, or no longer where `why` is undefined; false where there is none of the name. */
  cordon(upstream: string, why: string | undefined): boolean
  /** Present where callers may choose among versions of the interface. */
  readonly apiVersions: Pick<ApiVersions, 'segments' | 'ofSegment'> | undefined
  /** Counts and logs a call that no upstream answered, under the trace id that its caller was given. */
  rejected(traceId: string, why: RpcError): void
}
