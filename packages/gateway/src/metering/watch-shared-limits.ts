import type { LeasesOptions, LimitAuthority } from '@wayleave/metering'
import { errorClass, type Log } from '@wayleave/telemetry'
import type { StoreWatch } from '../telemetry/store-watch.ts'

/** The limits that replicas share. */
export interface SharedLimits {
  readonly authority: LimitAuthority
  /** Names this process. */
  readonly process: string
  /** The replicas, this one included, as `replicas` is configured and as Redis counts those that it heard of lately; at least 1. */
  replicas(): number
  /** Keeps them, for people. Default: `redis`. */
  readonly keeper?: string
  /** Tells why Redis cannot keep them, by the connection; undefined while it can. */
  readonly fault: StoreWatch['fault']
}

/** Limits that replicas share, and whether they do at the moment. */
export interface WatchedLimits {
  /** Options of leases on them. */
  readonly leases: Omit<LeasesOptions, 'clock'>
  /** The processes that share each limit, this one included. */
  readonly replicas: number
  /** Tells that this process has only its share of each limit, and why; undefined while it shares them. */
  fault(): string | undefined
}

/** Watches the limits that replicas share, and tells the log when they fall to a share and when they are shared again. */
export function watchSharedLimits({
  shared: { authority, process, replicas, fault, keeper = 'redis' },
  log,
}: {
  readonly shared: SharedLimits
  readonly log: Log
}): WatchedLimits {
  let isGone = false

  function onState(state: 'gone' | 'back', why?: unknown): void {
    isGone = state === 'gone'
    if (!isGone) return log.warn({}, 'limits are shared again')
    const code = (why as { readonly code?: unknown } | undefined)?.code ?? errorClass(why)
    const text = `${keeper} does not keep limits; this process goes on with its share of each`
    log.error({ code, replicas: replicas() }, text)
  }

  return {
    leases: { authority, process, share: () => 1 / replicas(), onState },
    get replicas() {
      return replicas()
    },
    fault() {
      const why = fault() ?? (isGone ? `${keeper} does not keep them` : undefined)
      return why === undefined ? undefined : `${why}; this process has 1 of ${replicas()} equal shares of each limit`
    },
  }
}
