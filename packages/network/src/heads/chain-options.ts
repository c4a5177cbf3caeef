import type { Clock } from '@wayleave/jsonrpc-core'
import type { SharedView } from '@wayleave/stores/shared-state'
import type { ChainViewOptions, Endpoint, HeadReader } from '@wayleave/upstream'
import type { Log } from '@wayleave/telemetry'
import type { NetworkKind } from '../kinds/network-kind.ts'
import type { CapabilitiesOptions } from '../upstreams/capabilities.ts'
import type { OwnQuestions } from '../upstreams/own-questions.ts'
import type { ProjectUpstreams } from '../upstreams/project-upstreams.ts'

export interface ChainOptions extends Pick<CapabilitiesOptions, 'mayExamine' | 'mayAsk' | 'history' | 'examinedAt'> {
  readonly network: string
  readonly kind: Pick<
    NetworkKind,
    | 'facts'
    | 'needs'
    | 'headOf'
    | 'latestOf'
    | 'settledOf'
    | 'nonceOf'
    | 'headAfter'
    | 'signing'
    | 'history'
    | 'flashblocks'
  >
  /** The endpoints as they are asked by the gateway itself: without verification or translation. */
  readonly endpoints: readonly Endpoint[]
  readonly isOnDemand: (endpoint: Endpoint) => boolean
  readonly reader: HeadReader
  /** Asks upstreams about themselves. Default: from here, by the endpoints. */
  readonly own?: Pick<OwnQuestions, 'openView' | 'examined' | 'onExamine'> | undefined
  /** The upstreams that may be asked for calls of a tenant. */
  readonly projects: ProjectUpstreams
  readonly reported: SharedView
  readonly clock: Clock
  readonly log: Log
  /** Called with each question of the view. */
  readonly onAsk: NonNullable<ChainViewOptions['onAsk']>
}
