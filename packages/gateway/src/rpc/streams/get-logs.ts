import type { GetLogsOptions } from '@wayleave/evm-events'
import type { VerificationLevel } from '@wayleave/evm-verify'
import type { Clock } from '@wayleave/jsonrpc-core'
import { type ChainView, createFairShare } from '@wayleave/upstream'
import type { ByteBudget } from '../../budget/byte-budget.ts'
import type { Limits } from '../../config/limits.ts'
import { keptAt } from '../kept-at.ts'

export interface LongLogsOptions {
  readonly endpoints: readonly { readonly verify: VerificationLevel }[]
  /** The view of the chain; undefined where no heads are followed. */
  readonly heads: Pick<ChainView, 'head' | 'header'> | undefined
  /** The most blocks that the upstreams of a call are known to take. */
  readonly mostBlocks: NonNullable<GetLogsOptions['limits']>['mostBlocks']
  readonly limits: Pick<Limits, 'maxLogBlocks' | 'maxProvenLogBlocks' | 'maxLogBytes' | 'maxUpstreamCalls'>
  readonly budget: Pick<ByteBudget, 'account'>
  readonly clock: Clock
}

/** The part of an upstream's slots that all long calls take together, beside one for each. */
const partOfSlots = 1 / 4
/**
 * Blocks that an upstream proves in one question, and in one segment of a longer call: their headers are read one by one. Their logs are
 * compared on the event loop: 128 KiB take 3 ms, 512 KiB 7, 2 MiB 37.
 */
const provenAtOnce = {
  plainBlocks: 256,
  firstBlocks: 64,
  maxSegmentBlocks: 64,
  aimBytes: 131_072,
  maxSegmentBytes: 1_048_576,
}

/** Makes the options of `eth_getLogs` of any range at a network. */
export function longLogs({ endpoints, heads, mostBlocks, limits, budget, clock }: LongLogsOptions): GetLogsOptions {
  const isProven = endpoints.some(({ verify }) => verify === 'proven')
  return {
    clock,
    // The head may be an old one if nobody has asked for a while.
    headOf: () => (heads?.header === undefined ? undefined : heads.head),
    sameNode: (request, { meta }) => (meta?.endpoint === undefined ? request : keptAt.on(request, meta.endpoint)),
    limits: { mostBlocks },
    share: createFairShare(Math.max(1, Math.floor(limits.maxUpstreamCalls * partOfSlots))),
    accountOf: ({ lane }) => budget.account(lane),
    maxBlocks: isProven ? limits.maxProvenLogBlocks : limits.maxLogBlocks,
    maxBytes: limits.maxLogBytes,
    ...(isProven && provenAtOnce),
  }
}
