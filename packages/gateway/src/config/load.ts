import { ConfigError, type ConfigProblem, findFaults, toProblem } from './check.ts'
import type { Config } from './config.ts'
import { interpolate } from './interpolate.ts'
import { warningsOf } from './meaning.ts'
import { printPath } from './shape.ts'
import { readSource } from './source.ts'
import { type ConfigSummary, summarize } from './summary.ts'
import { readTls } from './tls-files.ts'

/** What a configuration file comes to. */
export interface ConfigReport {
  /** Why it cannot be used; empty where it can. */
  readonly problems: readonly ConfigProblem[]
  /** What is right, and yet hardly meant. */
  readonly warnings: readonly ConfigProblem[]
  /** Present where there are no problems. */
  readonly config?: Config
  readonly summary?: ConfigSummary
}

type Environment = Readonly<Record<string, string | undefined>>

/**
 * Reads a configuration from a `.ts`, `.js`, `.yaml`, `.yml` or `.json` file; `${NAME}` in any text is replaced from `env`.
 * @throws ConfigError where the file cannot be read, a variable is not set, or a value is not as expected: all of it at once.
 */
export async function loadConfig(file: string, env: Environment): Promise<Config> {
  const { problems, config } = await inspectConfig(file, env)
  if (config === undefined) throw new ConfigError(problems, file)
  return config
}

/** The same without an end at the first fault: everything that is wrong, or what the configuration comes to. Never rejects. */
export async function inspectConfig(file: string, env: Environment): Promise<ConfigReport> {
  const source = await readSource(file)
  if (!('placeOf' in source)) {
    const { expected, got, place } = source
    return { problems: [{ path: '', ...place, expected, got }], warnings: [] }
  }
  const { value, faults: unset } = interpolate(source.value, env)
  const places = new Set(unset.map(({ path }) => printPath(path)))
  const faults = [...unset, ...findFaults(value).filter(({ path }) => !places.has(printPath(path)))]
  const problems = faults.map((fault) => toProblem(fault, source.placeOf(fault.path)))
  if (problems.length > 0) return { problems: problems.toSorted(byPlace), warnings: [] }
  const config = value as Config
  const warnings = warningsOf(config).map((fault) => toProblem(fault, source.placeOf(fault.path)))
  const tls = config.listen?.tls === undefined ? undefined : await readTls(config.listen.tls)
  if (tls !== undefined && 'faults' in tls) {
    return { problems: tls.faults.map((fault) => toProblem(fault, source.placeOf(fault.path))), warnings }
  }
  return { problems: [], warnings, config, summary: summarize(config) }
}

function byPlace(a: ConfigProblem, b: ConfigProblem): number {
  return (a.line ?? 0) - (b.line ?? 0) || (a.column ?? 0) - (b.column ?? 0)
}
