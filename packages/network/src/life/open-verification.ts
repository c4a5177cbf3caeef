import type { Verification } from '@wayleave/evm-verify'
import type { Clock, Extension } from '@wayleave/jsonrpc-core'
import type { Log } from '@wayleave/telemetry'
import { type NetworkConfig, verifies } from '../config/network-config.ts'
import { type CheckQueue, createCheckQueue } from '../verification/check-queue.ts'
import type { StartCheckThread } from '../verification/check-thread.ts'
import type { NetworkPoolOptions } from '../pool/network-pool-options.ts'
import type { checkBlockLogs, CheckLogsOptions } from '../verification/check-logs.ts'
import { hasCompleteBlooms } from '../verification/complete-blooms.ts'
import type { SubscriptionsOptions } from '../streams/subscriptions.ts'
import { askElsewhere } from '../hints/excluded-upstreams.ts'
import type { isProven } from '../verification/verification.ts'

/** The parts that networks need which are verified. */
export interface OpenVerification {
  readonly verifyEndpoints: NetworkPoolOptions['verifyEndpoints']
  /** Tells whether an answer was proven as a whole. */
  readonly isProven: typeof isProven
  /** Reads how far an answer is verified. */
  readonly extension: Extension<Verification>
  /** Makes readers of blocks verify their logs. */
  readonly checkBlockLogs: typeof checkBlockLogs
  /** The checks of long answers of all networks; undefined: they are checked on this thread. */
  readonly checks: CheckQueue | undefined
}

interface OpenVerificationOptions {
  /** Starts a thread for the verification of long answers. */
  readonly startThread?: StartCheckThread | undefined
  readonly clock: Clock
  readonly log: Log
}

/** Opens verification for the configurations of a gateway. */
export interface VerificationOpener {
  /** Loads what verifies answers, where a network wants that: the curves of signatures take a while. */
  open(config: { readonly networks: Readonly<Record<string, NetworkConfig>> }): Promise<OpenVerification | undefined>
  close(): Promise<void>
}

export function createVerificationOpener({
  startThread: start,
  clock,
  log,
}: OpenVerificationOptions): VerificationOpener {
  let opened: Promise<OpenVerification> | undefined

  async function load(): Promise<OpenVerification> {
    const { isProven, verifyEndpoints } = await import('../verification/verification.ts')
    const { verification: extension } = await import('@wayleave/evm-verify')
    const { checkBlockLogs } = await import('../verification/check-logs.ts')
    const onCrash = (err: Error): void =>
      log.repeats.warn(['check'], { err }, 'the verification thread failed, and starts anew')
    const checks = start && createCheckQueue({ start, clock, onCrash })
    return { verifyEndpoints, isProven, extension, checkBlockLogs, checks }
  }

  return {
    async open({ networks }) {
      return Object.values(networks).some(verifies) ? (opened ??= load()) : undefined
    },
    close: async () => (await opened)?.checks?.close(),
  }
}

/** Makes the options under which the blocks of subscriptions are read, for a handler that asks the upstreams. */
export function blockChecks(
  verification: OpenVerification | undefined,
  network: Pick<CheckLogsOptions, 'endpoints' | 'chainId'>,
): NonNullable<SubscriptionsOptions['checkLogs']> {
  const elsewhere = askElsewhere
  if (verification === undefined) return () => ({ hasCompleteBlooms: hasCompleteBlooms(network.chainId), elsewhere })
  const { checks, checkBlockLogs: check } = verification
  return (ask) => ({ ...check({ ...network, ask, offload: checks?.offload }), elsewhere })
}
