import type { Clock, RpcRequest } from '@wayleave/jsonrpc-core'
import type { Endpoint } from '../endpoint.ts'
import type { AskPurpose } from './ask.ts'
import type { EndpointView } from './endpoint-view.ts'
import type { HeadReader } from './head-reader.ts'

export interface ChainViewOptions {
  /** Endpoints of one name are one node: asked once, and counted once. */
  readonly endpoints: readonly Endpoint[]
  readonly reader: HeadReader
  readonly clock: Clock
  /** Whether an endpoint is followed only while it is promoted: a fallback. Default: none is. */
  readonly isOnDemand?: (endpoint: Endpoint) => boolean
  /** Called when an endpoint's chain or health has changed, or a strange one tells its head; must not throw. */
  readonly onChange?: (endpoint: Endpoint, view: EndpointView, before: EndpointView) => void
  /** Called each time that all endpoints were looked at again, once listeners were told; must not throw. */
  readonly onJudged?: () => void
  /** Called with each question to an endpoint, for metrics and budgets; must not throw. */
  readonly onAsk?: (endpoint: Endpoint, purpose: AskPurpose, request: RpcRequest) => void
  /** The pace until it is measured, in ms. Default 2,000. */
  readonly blockTimeMs?: number
  /** Blocks that an upstream may lag. Default: what the chain makes in two seconds, at least 2 and at most 10. */
  readonly toleratedLag?: number
  /** Time for which a head that no upstream has any more is kept, in ms; 0 for a chain that its owner sets back. Default 60,000. */
  readonly holdMs?: number
  /** The longest that an endpoint may take to answer, in ms. Default 2,000. */
  readonly askTimeoutMs?: number
  /** Time after the last caller for which heads are followed, in ms. Default 60,000. */
  readonly idleMs?: number
}
