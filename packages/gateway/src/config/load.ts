import { dirname, resolve } from 'node:path'
import { type Clock, systemClock } from '@wayleave/jsonrpc-core'
import type { Issue } from '@wayleave/jsonrpc-core/schema'
import { isObject } from '@wayleave/network/config'
import {
  ConfigError,
  configIssues,
  type ConfigProblem,
  type ConfigWarning,
  joinIssues,
  toProblem,
  toWarning,
} from './check.ts'
import type { Config } from './config.ts'
import { interpolate } from './interpolate.ts'
import { readSecretFiles } from './secret-files.ts'
import { readSource, reasonOf, type Source, type Unreadable } from './source.ts'
import { type ConfigSummary, summarize } from './summary.ts'
import { readTls } from './tls-files.ts'
import { tlsWarnings } from './tls-warnings.ts'
import { wayIssues } from './way-issues.ts'
import { configWarnings } from './warnings.ts'

/** The outcome of reading a configuration file. */
export interface ConfigReport {
  /** Reasons why it cannot be used; empty if it can. */
  readonly problems: readonly ConfigProblem[]
  /** Values that are allowed and probably not meant: `config check` prints them, `doctor` lists them, and the log of `serve` has them. */
  readonly warnings: readonly ConfigWarning[]
  /** Present if there are no problems. */
  readonly config?: Config
  readonly summary?: ConfigSummary
  /** The fingerprints of the file and of those that it names as `${file:…}`, by absolute path, as they were read. */
  readonly files: ReadonlyMap<string, string>
}

export interface InspectOptions {
  /** A program is run once for each number. Default 0. */
  readonly generation?: number | undefined
  /** Bounds the time of a program. Default: the system's. */
  readonly clock?: Clock | undefined
}

type Environment = Readonly<Record<string, string | undefined>>

/**
 * Reads a configuration from a `.ts`, `.js`, `.yaml`, `.yml` or `.json` file; `${NAME}` in any text is replaced from `env`, and
 * `${file:PATH}` by the text of a file.
 * @throws ConfigError that tells all at once: a file that cannot be read, variables that are not set, values that are not as expected
 */
export async function loadConfig(file: string, env: Environment): Promise<Config> {
  const { problems, config } = await inspectConfig(file, env)
  if (config === undefined) throw new ConfigError(problems, file)
  return config
}

/** Reads the same and reports everything: all problems, or the configuration with its summary. Never rejects. */
export async function inspectConfig(
  file: string,
  env: Environment,
  { generation, clock = systemClock }: InspectOptions = {},
): Promise<ConfigReport> {
  const at = resolve(file)
  const source = await readSource(file, generation, clock)
  const files = new Map([[at, source.fingerprint]])
  if (!('placeOf' in source)) {
    return { problems: [problemOf(source)], warnings: [], files }
  }
  try {
    return await inspectSource(source, at, env, clock)
  } catch (thrown) {
    // The members of a program's value may be functions of its own.
    const problem = { path: '', expected: 'members that can be read', got: reasonOf(thrown) }
    return { problems: [problem], warnings: [], files }
  }
}

async function inspectSource(
  source: Source,
  at: string,
  env: Environment,
  clock: Pick<Clock, 'date'>,
): Promise<ConfigReport> {
  const problemsOf = (issues: readonly Issue[]): readonly ConfigProblem[] =>
    issues.map((issue) => toProblem(issue, source.placeOf(issue.path)))
  const written = withoutNotes(source.value)
  const { texts, fingerprints } = await readSecretFiles(written, dirname(at))
  const files = new Map([[at, source.fingerprint], ...fingerprints])
  const { value, issues: unset } = interpolate(written, env, texts)
  const problems = problemsOf(joinIssues(unset, configIssues(value, written)))
  if (problems.length > 0) return { problems: problems.toSorted(byPlace), warnings: [], files }
  const config = value as Config
  const tls = config.listen?.tls && (await readTls(config.listen.tls))
  const suspicions = [
    ...configWarnings(config),
    ...(tls && 'cert' in tls ? tlsWarnings(tls, config, clock.date()) : []),
  ]
  const warnings = suspicions.map((suspicion) => toWarning(suspicion, source.placeOf(suspicion.path)))
  const outside = [...(tls && 'issues' in tls ? tls.issues : []), ...(await wayIssues(config, env))]
  if (outside.length > 0) return { problems: problemsOf(outside).toSorted(byPlace), warnings, files }
  return { problems: [], warnings, config, summary: summarize(config), files }
}

/** Leaves out `$schema`, by which editors find the schema of a JSON file, and `x-` members, in which YAML keeps what its aliases repeat. */
function withoutNotes(value: unknown): unknown {
  if (!isObject(value)) return value
  const isNote = (name: string, member: unknown): boolean =>
    name.startsWith('x-') || (name === '$schema' && typeof member === 'string')
  return Object.fromEntries(Object.entries(value).filter(([name, member]) => !isNote(name, member)))
}

/** The problem of a file that cannot be read. */
export function problemOf({ path = [], expected, got, hint, place }: Unreadable): ConfigProblem {
  return { ...toProblem({ path, expected, received: '', ...(hint !== undefined && { hint }) }, place), got }
}

function byPlace(a: ConfigProblem, b: ConfigProblem): number {
  return (a.line ?? 0) - (b.line ?? 0) || (a.column ?? 0) - (b.column ?? 0)
}
