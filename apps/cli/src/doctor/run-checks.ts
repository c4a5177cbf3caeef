import { type Clock, systemClock } from '@wayleave/jsonrpc-core'
import { type Check, fail, type Finding } from './finding.ts'

/** Longest time of a check, in ms: all of them, side by side, take no longer. */
const checkMs = 9_000

export interface RunOptions {
  /** Called with each check that ended: how many have, and what is still open. */
  readonly onProgress?: (done: number, open: readonly string[]) => void
  readonly clock?: Pick<Clock, 'after'>
  /** Default 9,000. */
  readonly timeoutMs?: number
  /** Gives up what is still open when it aborts. */
  readonly signal?: AbortSignal | undefined
}

/** Runs checks side by side. One that takes too long, or throws, is a finding. Resolves with all findings, in the order of the checks. */
export async function runChecks(
  checks: readonly Check[],
  { onProgress, clock = systemClock, timeoutMs = checkMs, signal }: RunOptions = {},
): Promise<readonly Finding[]> {
  const open = new Set(checks)
  const report = (): void =>
    onProgress?.(
      checks.length - open.size,
      [...open].map(({ subject }) => subject),
    )
  report()
  const found = await Promise.all(
    checks.map(async (check) => {
      const findings = await runOne(check, timeoutMs, clock, signal)
      open.delete(check)
      report()
      return findings
    }),
  )
  return found.flat()
}

async function runOne(
  check: Check,
  timeoutMs: number,
  clock: Pick<Clock, 'after'>,
  signal: AbortSignal | undefined,
): Promise<readonly Finding[]> {
  const { subject } = check
  const controller = new AbortController()
  let stop = (): void => {}
  const late = new Promise<readonly Finding[]>((resolve) => {
    stop = clock.after(timeoutMs, () => {
      controller.abort()
      const remedy = 'see whether what it asks answers at all, and run this again'
      resolve([fail('check_timeout', subject, `gave no result within ${timeoutMs / 1_000} s`, remedy)])
    })
  })
  try {
    return await Promise.race([
      check.run(signal === undefined ? controller.signal : AbortSignal.any([controller.signal, signal])),
      late,
    ])
  } catch (thrown) {
    // The words of an unknown error may hold a URL.
    const name = thrown instanceof Error ? thrown.name : 'an error'
    return [fail('check_failed', subject, `could not be checked: ${name}`, 'this is a mistake of wayleave: report it')]
  } finally {
    stop()
  }
}
