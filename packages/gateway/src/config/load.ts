import type { Issue } from '@wayleave/jsonrpc-core/schema'
import { ConfigError, configIssues, type ConfigProblem, joinIssues, toProblem } from './check.ts'
import type { Config } from './config.ts'
import { interpolate } from './interpolate.ts'
import { readSource } from './source.ts'
import { type ConfigSummary, summarize } from './summary.ts'
import { readTls } from './tls-files.ts'
import { configWarnings } from './warnings.ts'

/** The outcome of reading a configuration file. */
export interface ConfigReport {
  /** Reasons why it cannot be used; empty if it can. */
  readonly problems: readonly ConfigProblem[]
  /** Values that are allowed and probably not meant. */
  readonly warnings: readonly ConfigProblem[]
  /** Present if there are no problems. */
  readonly config?: Config
  readonly summary?: ConfigSummary
}

type Environment = Readonly<Record<string, string | undefined>>

/**
 * Reads a configuration from a `.ts`, `.js`, `.yaml`, `.yml` or `.json` file; `${NAME}` in any text is replaced from `env`.
 * @throws ConfigError that tells all at once: a file that cannot be read, variables that are not set, values that are not as expected
 */
export async function loadConfig(file: string, env: Environment): Promise<Config> {
  const { problems, config } = await inspectConfig(file, env)
  if (config === undefined) throw new ConfigError(problems, file)
  return config
}

/** Reads the same and reports everything: all problems, or the configuration with its summary. Never rejects. */
export async function inspectConfig(file: string, env: Environment): Promise<ConfigReport> {
  const source = await readSource(file)
  if (!('placeOf' in source)) {
    const { expected, got, place } = source
    return { problems: [{ path: '', ...place, expected, got }], warnings: [] }
  }
  const problemsOf = (issues: readonly Issue[]): readonly ConfigProblem[] =>
    issues.map((issue) => toProblem(issue, source.placeOf(issue.path)))
  const { value, issues: unset } = interpolate(source.value, env)
  const problems = problemsOf(joinIssues(unset, configIssues(value)))
  if (problems.length > 0) return { problems: problems.toSorted(byPlace), warnings: [] }
  const config = value as Config
  const warnings = problemsOf(configWarnings(config))
  const tls = config.listen?.tls && (await readTls(config.listen.tls))
  if (tls && 'issues' in tls) return { problems: problemsOf(tls.issues), warnings }
  return { problems: [], warnings, config, summary: summarize(config) }
}

function byPlace(a: ConfigProblem, b: ConfigProblem): number {
  return (a.line ?? 0) - (b.line ?? 0) || (a.column ?? 0) - (b.column ?? 0)
}
