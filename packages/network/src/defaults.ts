import { randomBytes } from 'node:crypto'
import { performance } from 'node:perf_hooks'
import { RpcError, systemClock } from '@wayleave/jsonrpc-core'
import { createFairShare, createTurns } from '@wayleave/upstream'
import { createLog } from '@wayleave/telemetry'
import { networkLimits } from './config/network-limits.ts'
import type { CacheCounts, NetworkCounts, NetworkHost } from './network-host.ts'

/** Bound of the cache of a network that has one of its own, in bytes. */
export const ownCacheBytes: number = 64 * 1024 * 1024
const uncounted: NetworkCounts & CacheCounts = {
  asked() {},
  upstreamAnswered() {},
  upstreamFailed() {},
  verified() {},
  compared() {},
  queued() {},
  filters() {},
  relays() {},
  cacheAnswered() {},
}

/** An account without a bound. */
const unbounded = {
  take: () => true,
  give() {},
  refusal: () => new RpcError('overloaded', 'too many bytes are held'),
}

/** The parts of a process in which a network is alone. This file is the only place of the package that touches ambient time and chance. */
export function aloneInProcess(): NetworkHost {
  const nextTurn = (run: () => void): void => void setImmediate(run)
  const turns = { nextTurn }
  return {
    limits: networkLimits,
    callerLimits: networkLimits,
    accounts: { ofAnswer: () => unbounded, ofCaller: () => unbounded },
    nextTurn,
    idleMs: () => performance.nodeTiming.idleTime,
    turns: createTurns(turns),
    readingTurns: createTurns(turns),
    counts: uncounted,
    cacheCounts: uncounted,
    onRefused() {},
    withoutSession: true,
    filters: {
      shares: createFairShare(networkLimits.maxFilters),
      mostOf: () => undefined,
      refusalOf: () => undefined,
      newId: () => `0x${BigInt(`0x${randomBytes(16).toString('hex')}`).toString(16)}`,
    },
    clock: systemClock,
    random: Math.random,
    log: createLog({ level: 'silent' }),
  }
}
