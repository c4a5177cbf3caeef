import type { Offload } from '@wayleave/evm-verify'
import type { Clock } from '@wayleave/jsonrpc-core'
import type { SharedView } from '@wayleave/stores/shared-state'
import type { CallSlots, HeadReader, SpendLedger } from '@wayleave/upstream'
import type { Log } from '@wayleave/telemetry'
import type { ConsensusConfig } from '../config/consensus-config.ts'
import type { PinnedNetwork } from '../config/network-config.ts'
import type { NetworkKind } from '../kinds/network-kind.ts'
import type { AttemptMarks } from '../upstreams/attempt-marks.ts'
import type { CandidatesOptions } from '../upstreams/candidates.ts'
import type { OpenEndpoint } from '../endpoints/endpoints.ts'
import type { UpstreamKnowledge } from '../upstreams/kept-upstreams.ts'
import type { ProjectUpstreams } from '../upstreams/project-upstreams.ts'
import type { UpstreamCounts } from '../upstreams/upstream-counts.ts'
import type { verifyEndpoints } from '../verification/verification.ts'
import type { ViewOpener } from '../upstreams/view-opener.ts'

export interface NetworkPoolOptions {
  readonly network: string
  readonly kind: NetworkKind
  readonly config: Pick<PinnedNetwork, 'chainId' | 'upstreams' | 'policy'> & { readonly consensus?: ConsensusConfig }
  /** The upstreams that may be asked for calls of a tenant. */
  readonly projects: ProjectUpstreams
  readonly endpoints: readonly OpenEndpoint[]
  /** Wraps endpoints in verification; undefined if no network verifies. */
  readonly verifyEndpoints: typeof verifyEndpoints | undefined
  /** Checks long answers elsewhere. Default: on this thread. */
  readonly offload?: Offload | undefined
  readonly reader: HeadReader
  /** Whether the gateway follows the heads of its upstreams. */
  readonly followsHeads: boolean
  /** Whether upstreams are asked for their chain where heads are not followed. */
  readonly checksChain: boolean
  /** Opens views that several processes share. Default: this one follows its upstreams itself. */
  readonly views?: ViewOpener | undefined
  /** The heads and nonces that callers were told. */
  readonly reported: SharedView
  /** The units that all replicas have spent at an upstream, by its name; undefined where there are none. */
  readonly ledgerOf: (upstream: string) => SpendLedger | undefined
  readonly spends?: CandidatesOptions['spends']
  /** The facts known of the upstreams so far; the pool adds to them. */
  readonly knowledge: UpstreamKnowledge
  readonly slots: CallSlots
  /** Upstreams that get a signed transaction at once. Default 1. */
  readonly broadcast?: number | undefined
  /** Longest answer that is held to be verified or translated, in bytes. */
  readonly maxBytes: number
  /** Called with the name of an upstream that was found to answer falsely, or to be of another chain. */
  readonly onFalse?: ((endpoint: string, isFalse: boolean) => void) | undefined
  /** Called with the name of an upstream that is left alone from now on. */
  readonly onOut?: ((endpoint: string) => void) | undefined
  readonly clock: Clock
  /** A number from 0 up to 1. */
  readonly random: () => number
  readonly log: Log
  readonly metrics: UpstreamCounts
  /** Notes what becomes of each call, for its trace. */
  readonly marks: AttemptMarks
}
