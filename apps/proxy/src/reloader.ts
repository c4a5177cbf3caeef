import {
  type Config,
  ConfigError,
  type ConfigProblem,
  type inspectConfig,
  type Log,
  noDiff,
  printProblem,
  type ReloadReport,
} from '@wayleave/gateway'

export interface ReloaderOptions {
  readonly configFile: string
  /** Reads it anew. */
  readonly inspect: () => ReturnType<typeof inspectConfig>
  /** Has a checked configuration served; `reload` of a gateway. */
  readonly apply: (config: Config) => Promise<ReloadReport>
  /** Called with the fingerprints of the files each time they were read. */
  readonly onRead: (files: ReadonlyMap<string, string>) => void
  readonly log: Pick<Log, 'info' | 'warn' | 'error'>
}

/** Reads the file anew and has it served. Never rejects: the report tells what kept it from being served. */
export type Reload = () => Promise<ReloadReport>

/** Logs what a configuration that is served probably does not mean. */
export function warnOf(warnings: readonly ConfigProblem[], configFile: string, log: Pick<Log, 'warn'>): void {
  if (warnings.length === 0) return
  const lines = warnings.map((warning) => printProblem(warning, configFile))
  log.warn(cut('warnings', lines), 'the configuration is served, and holds what is probably not meant')
}

/** Most changes and problems that a line of the log tells. */
const mostReported = 100

/**
 * Makes the reload of a configuration file. One runs at a time; those who ask meanwhile share the one after it. A file that cannot be
 * served changes nothing, and is told in the log each time.
 */
export function createReloader({ configFile, inspect, apply, onRead, log }: ReloaderOptions): Reload {
  let last: Promise<unknown> = Promise.resolve()
  let waiting: Promise<ReloadReport> | undefined

  async function run(): Promise<ReloadReport> {
    let warnings: readonly ConfigProblem[] = []
    const report = await attempt((found) => (warnings = found))
    announce(report)
    if (report.applied) warnOf(warnings, configFile, log)
    return report
  }

  async function attempt(onWarnings: (found: readonly ConfigProblem[]) => void): Promise<ReloadReport> {
    try {
      const { config, problems, warnings, files } = await inspect()
      onRead(files)
      onWarnings(warnings)
      return config === undefined ? { diff: noDiff, applied: false, problems } : await apply(config)
    } catch (err) {
      const problems = err instanceof ConfigError ? err.problems : [failure]
      if (problems[0] === failure) log.error({ err }, 'a reload failed')
      return { diff: noDiff, applied: false, problems }
    }
  }

  function announce({ diff, applied, problems }: ReloadReport): void {
    if (!applied && problems.length > 0) {
      const lines = problems.map((problem) => printProblem(problem, configFile))
      return log.warn(cut('problems', lines), 'the configuration stays as it was: the new one cannot be served')
    }
    const changes = diff.changes.map(({ text }) => text)
    if (changes.length === 0) log.info('the configuration was read again, and is the same')
    else log.info(cut('changes', changes), 'the configuration was reloaded')
  }

  return () => {
    waiting ??= last.then(() => {
      waiting = undefined
      return run()
    })
    last = waiting
    return waiting
  }
}

const failure: ConfigProblem = {
  path: '',
  expected: 'a configuration that can be opened',
  got: 'a failure, which the log tells',
}

function cut(name: string, lines: readonly string[]): Readonly<Record<string, unknown>> {
  return { count: lines.length, [name]: lines.slice(0, mostReported) }
}
