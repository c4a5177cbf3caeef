import type { Clock, RpcHandler, RpcMiddleware } from '@wayleave/jsonrpc-core'
import { composeStages, type Network, opensSubscription, type PossibleStage, stageNames } from '@wayleave/network'
import type { NoteDenial } from '../denial.ts'
import type { GatewayContext } from '../context/context.ts'
import { authorize } from './stages/authorize.ts'
import { holdResults } from './stages/hold-results.ts'
import { limitBatches, type LimitBatchesOptions } from './stages/limit-batches.ts'
import { limitCalls, type LimitCallsOptions } from './stages/limit-calls.ts'
import { limitSubscriptions, type LimitSubscriptionsOptions } from './stages/limit-subscriptions.ts'
import { limitTime } from './stages/limit-time.ts'
import { meterCalls, type MeterCallsOptions } from './stages/meter-calls.ts'
import { pinCalls } from './stages/pin-calls.ts'
import { markApiVersion } from './stages/mark-api-version.ts'

type OfCallers = RpcMiddleware<GatewayContext>

export interface PipelineOptions
  extends MeterCallsOptions, LimitCallsOptions, LimitBatchesOptions, LimitSubscriptionsOptions {
  /** The network below. */
  readonly network: Pick<Network, 'kind' | 'handler' | 'headToPin' | 'stages'>
  /** The version of callers whose path names none, where the kind has several. Default: its usual one. */
  readonly apiVersion: string | undefined
  /** Traces calls. Default: none is traced. */
  readonly trace?: OfCallers | undefined
  /** Counts calls with their outcomes. Default: nobody does. */
  readonly watchCalls?: OfCallers | undefined
  /** Reports the calls of batches that no upstream answered. Default: nobody does. */
  readonly watchBatches?: OfCallers | undefined
  readonly denyMethods: readonly string[]
  /** The exact names of the methods that are served. Default: all are. */
  readonly allowMethods?: readonly string[] | undefined
  readonly noteDenial: NoteDenial
  readonly clock: Clock
}

/** The way of calls through a network, from where they are decoded on. */
export interface Pipeline {
  readonly calls: RpcHandler<GatewayContext>
  /** The names of the stages that are there, outermost first, those of the network behind those of callers. */
  readonly stages: readonly string[]
}

/**
 * Builds the way of a call from its decoding to its network, as one list: the first stage is the outermost. Without `methods`, calls of all
 * methods pass a stage; one without `apply` is not there. The way goes on in the list of the network (`pipeline.ts` of `@wayleave/network`).
 */
export function createPipeline(options: PipelineOptions): Pipeline {
  const { network, clock, denyMethods, allowMethods, noteDenial } = options
  const { kind, headToPin } = network
  const { facts, apiVersions, addressesOf } = kind
  const opening = Object.keys(facts).filter((method) => opensSubscription(facts, method))

  const ofCallers: readonly PossibleStage<GatewayContext>[] = [
    { name: 'trace', apply: options.trace },
    { name: 'count outcomes', apply: options.watchCalls },
    { name: 'report lost calls of batches', apply: options.watchBatches },
    { name: 'hold results', apply: holdResults },
    { name: 'version of the interface', apply: apiVersions && markApiVersion(apiVersions, options.apiVersion) },
    { name: 'meter', apply: meterCalls(options) },
    // Further rules for callers go below, where the caller may call.
    { name: 'authorize', apply: authorize({ denyMethods, allowMethods, addressesOf, noteDenial }) },
    { name: 'limit time', apply: limitTime(clock) },
    { name: 'limit batches', apply: limitBatches(options) },
    { name: 'limit calls in flight', apply: limitCalls(options) },
    { name: 'limit subscriptions', methods: opening, apply: limitSubscriptions(options) },
    { name: 'pin to one block', apply: pinCalls({ kind, headToPin }) },
  ]
  return {
    calls: composeStages(ofCallers, network.handler),
    stages: [...stageNames(ofCallers), ...network.stages],
  }
}
