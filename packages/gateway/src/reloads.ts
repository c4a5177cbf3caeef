import type { Log } from '@wayleave/telemetry'
import { ConfigError, type ConfigProblem, toProblem } from './config/check.ts'
import type { Config } from './config/config.ts'
import { diffConfig, noDiff, type ReloadReport } from './config/config-diff.ts'
import { startIssues } from './config/cross-checks.ts'
import type { NextSnapshot, Snapshot } from './snapshot.ts'

export interface ReloadsOptions {
  readonly present: () => Snapshot
  /** Whether the gateway runs: neither starting nor ending. */
  readonly isRunning: () => boolean
  readonly open: (config: Config) => Promise<NextSnapshot>
  /** Takes a snapshot for the present one, at once; resolves when all of the gateway's processes have. */
  readonly take: (next: NextSnapshot) => void | Promise<void>
  readonly log: Pick<Log, 'error'>
}

/** Puts configurations into force, one after the other. */
export interface Reloads {
  /** Takes a checked configuration, or tells why it cannot be taken: then nothing has changed. Never rejects. */
  reload(config: Config): Promise<ReloadReport>
  /** Resolves when none is under way. */
  settled(): Promise<void>
}

export function createReloads({ present, isRunning, open, take, log }: ReloadsOptions): Reloads {
  let last: Promise<unknown> = Promise.resolve()

  async function reload(config: Config): Promise<ReloadReport> {
    if (!isRunning()) return { diff: noDiff, applied: false, problems: [notRunning] }
    let diff = noDiff
    try {
      diff = diffConfig(present().config, config)
      const fixed = diff.needsRestart.map(({ path }) => ({ path, ...asStarted }))
      const problems = [...fixed, ...startIssues({ ...config }).map((issue) => toProblem(issue))]
      if (problems.length > 0) return { diff, applied: false, problems }
      if (diff.changes.length === 0) return { diff, applied: true, problems }
      const next = await open(config)
      if (isRunning()) {
        await take(next)
        return { diff, applied: true, problems }
      }
      await next.abandon()
      return { diff, applied: false, problems: [notRunning] }
    } catch (thrown) {
      return { diff, applied: false, problems: problemsOf(thrown, log) }
    }
  }

  return {
    reload(config) {
      const own = last.then(() => reload(config))
      last = own
      return own
    },
    settled: () => last.then(() => {}),
  }
}

const asStarted = { expected: 'what the gateway was started with: only a restart can change it', got: 'something else' }
const notRunning: ConfigProblem = {
  path: '',
  expected: 'a gateway that is running',
  got: 'one that ends, or has not begun',
}

/** Tells why a configuration could not be opened. */
export function problemsOf(thrown: unknown, log: Pick<Log, 'error'>): readonly ConfigProblem[] {
  if (thrown instanceof ConfigError) return thrown.problems
  const { name, message } = thrown as Error
  // Their messages are written for whoever wrote the configuration.
  if (name === 'AuthError' || name === 'MeteringError') {
    return [{ path: '', expected: 'a configuration that can be used', got: `one that cannot: ${message}` }]
  }
  log.error({ err: thrown }, 'a configuration could not be opened')
  return [{ path: '', expected: 'a configuration that can be opened', got: 'one that failed: the log tells how' }]
}
