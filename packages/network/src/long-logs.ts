import type { GetLogsOptions } from '@wayleave/evm-events'
import type { Verification, VerificationLevel } from '@wayleave/evm-verify'
import type { Clock, Extension } from '@wayleave/jsonrpc-core'
import { createFairShare } from '@wayleave/upstream'
import type { CacheStage } from './cache/cache-stage.ts'
import { skippingAs } from './hints/skips-cache.ts'
import type { OpenVerification } from './life/open-verification.ts'
import type { NetworkPool } from './pool/network-pool.ts'
import { withHints } from './hints/call-hints.ts'

export interface LongLogsOptions {
  readonly endpoints: readonly { readonly verify: VerificationLevel }[]
  readonly pool: Pick<NetworkPool, 'chain' | 'mostBlocks'> & Partial<Pick<NetworkPool, 'mayTryParts'>>
  /** The cache below; undefined: none. */
  readonly cache: CacheStage | undefined
  readonly verification: Pick<OpenVerification, 'isProven' | 'extension'> | undefined
  readonly limits: { readonly maxUpstreamCalls: number }
  /** Read at each call. */
  readonly callerLimits: Readonly<Record<'maxLogBlocks' | 'maxProvenLogBlocks' | 'maxLogBytes', number>>
  readonly accountOf: GetLogsOptions['accountOf']
  readonly clock: Clock
}

/** Blocks that no upstream which is asked is behind: one that told a head further down has lost some. */
const oddFall = 8
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
export function longLogs(options: LongLogsOptions): GetLogsOptions {
  const { endpoints, pool, cache, verification, limits, callerLimits, accountOf, clock } = options
  const heads = pool.chain?.view
  const isProven = endpoints.some(({ verify }) => verify === 'proven')
  return {
    clock,
    // The head may be an old one if nobody has asked for a while.
    headOf: () => (heads?.header === undefined ? undefined : heads.head),
    sameNode: (request, { meta }) =>
      meta?.endpoint === undefined ? request : withHints(request, { pinnedUpstream: meta.endpoint }),
    partOf: skippingAs,
    ofNode: (request) => withHints(request, { bypassCache: true }),
    headAfter(answer) {
      const name = answer.meta?.endpoint
      if (name === undefined || heads === undefined || verification?.isProven(answer) === true) return undefined
      // One that has just told of a restart may have its blocks back by the time that it is asked.
      const reported = heads.of({ name } as Parameters<typeof heads.of>[0]).head?.number
      const isBack = reported !== undefined && reported < (heads.head?.number ?? 0) - oddFall
      return heads.headAfter({ name }).then((head) => (isBack ? reported : head?.number))
    },
    limits: pool,
    mayTryParts: pool.mayTryParts,
    trust:
      verification && endpoints.some(({ verify }) => verify !== 'off') ? trustOf(verification.extension) : undefined,
    isAligned: cache !== undefined,
    share: createFairShare(Math.max(1, Math.floor(limits.maxUpstreamCalls * partOfSlots))),
    accountOf,
    get maxBlocks() {
      return isProven ? callerLimits.maxProvenLogBlocks : callerLimits.maxLogBlocks
    },
    get maxBytes() {
      return callerLimits.maxLogBytes
    },
    ...(isProven && provenAtOnce),
  }
}

/** Degrees of verification, the lowest first. A proof by the hash that was asked for says less than one by the block that most nodes have. */
const degrees: readonly Pick<Verification, 'level' | 'anchor'>[] = [
  { level: 'unverifiable', anchor: 'none' },
  { level: 'consistent', anchor: 'none' },
  { level: 'proven', anchor: 'question' },
  { level: 'proven', anchor: 'quorum' },
]

/** Marks logs of several answers as verified as the least of these is. */
function trustOf(verified: Extension<Verification>): NonNullable<GetLogsOptions['trust']> {
  return {
    of({ meta }) {
      const { level, anchor } = verified.of(meta) ?? degrees[0]!
      if (level !== 'proven') return level === 'consistent' ? 1 : 0
      return anchor === 'question' ? 2 : 3
    },
    on: (degree) => verified.on({}, { ...degrees[degree]!, fields: {} }),
  }
}
