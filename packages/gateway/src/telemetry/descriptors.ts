import { open } from 'node:fs/promises'
import { devNull } from 'node:os'
import type { Clock } from '@wayleave/jsonrpc-core'
import type { Log } from '@wayleave/telemetry'
import { repeat } from '../waits.ts'

export interface DescriptorWatchOptions {
  readonly clock: Clock
  readonly log: Log
  /** Takes a file descriptor and gives it back; rejects with the system's error. Default: opens the null device. */
  readonly probe?: () => Promise<void>
}

/** How often it is asked whether a descriptor is free, in ms. */
const betweenMs = 5_000
/** Time between two lines of the log, in ms. */
const reportEveryMs = 60_000

/**
 * Tells the log when no file descriptor is free. libuv then accepts connections only to cut them, and tells nobody; so this asks for a
 * descriptor itself now and then. Returns the function that stops it.
 */
export function watchDescriptors({ clock, log, probe = openNothing }: DescriptorWatchOptions): () => void {
  let reportedAt = Number.NEGATIVE_INFINITY

  function report(code: string | undefined): void {
    const advice = code === undefined ? undefined : advices[code]
    if (advice === undefined || clock.now() - reportedAt < reportEveryMs) return
    reportedAt = clock.now()
    log.error({ code }, `no file descriptor is free, so connections are cut unanswered: ${advice}`)
  }

  return repeat(() => probe().catch(({ code }: NodeJS.ErrnoException) => report(code)), betweenMs, clock)
}

const advices: Readonly<Record<string, string>> = {
  EMFILE: 'raise the limit of this process (ulimit -n, or LimitNOFILE in systemd), or lower limits.maxConnections',
  ENFILE: 'raise the limit of the system (sysctl fs.file-max), or lower limits.maxConnections',
}

async function openNothing(): Promise<void> {
  await (await open(devNull)).close()
}
