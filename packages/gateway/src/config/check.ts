import { type Issue, type IssuePath, issues, printPath } from '@wayleave/jsonrpc-core/schema'
import type { Config } from './config.ts'
import { configSchema } from './config.ts'
import { crossIssues } from './cross-checks.ts'
import { withHints } from './hints.ts'

/** An error or a warning about a configuration. It holds no value that may be secret. */
export interface ConfigProblem {
  /** `networks["base-sepolia"].upstreams[0]`; empty for the whole. */
  readonly path: string
  /** Line and column count from 1; known for YAML and JSON files. */
  readonly line?: number
  readonly column?: number
  readonly expected: string
  readonly got: string
  /** A change that would mend it, such as `write it without quotes`. */
  readonly hint?: string
}

/** A value of a configuration that can be served, and probably is not meant. */
export interface ConfigWarning extends ConfigProblem {
  /** A stable name for programs, such as `certificate_ended`; absent for most. */
  readonly code?: string
  /** Present where callers are failed: `wayleave doctor` counts it as a failure. */
  readonly fails?: true
}

/** The issue of a {@link ConfigWarning}. */
export interface Suspicion extends Issue, Pick<ConfigWarning, 'code' | 'fails'> {}

/** Thrown for a configuration that cannot be used: a line for each problem, with its place, the expected value and the one that came. */
export class ConfigError extends Error {
  override readonly name: string = 'ConfigError'
  readonly problems: readonly ConfigProblem[]
  /** Whether it may be used later as it is: a database or a node that it names is away. */
  readonly isTemporary: boolean

  constructor(problems: readonly ConfigProblem[], file?: string, isTemporary = false) {
    super(problems.map((problem) => printProblem(problem, file)).join('\n'))
    this.problems = problems
    this.isTemporary = isTemporary
  }
}

/** `wayleave.yaml:3:5: networks.main.kind: expected "evm", "rollup", "starknet" or "jsonrpc", got "bitcoin"` */
export function printProblem({ path, line, column, expected, got, hint }: ConfigProblem, file?: string): string {
  const place = line === undefined ? '' : `:${line}:${column}`
  const where = path === '' && file === undefined ? 'the configuration' : path
  return [
    ...(file === undefined ? [] : [`${file}${place}`]),
    ...(where === '' ? [] : [where]),
    `expected ${expected}, got ${got}${hint === undefined ? '' : `; ${hint}`}`,
  ].join(': ')
}

/** Returns the same value, checked. @throws ConfigError that tells every problem. */
export function checkConfig(value: unknown): Config {
  const found = configIssues(value)
  if (found.length > 0) throw new ConfigError(found.map((issue) => toProblem(issue)))
  return value as Config
}

/** Everything that is wrong with a configuration; no issue holds a secret. `written` is the value before `${…}` was replaced. */
export function configIssues(value: unknown, written: unknown = value): readonly Issue[] {
  const check = (it: unknown): readonly Issue[] => joinIssues(issues(configSchema, it), crossIssues(it))
  return withHints(check(value), value, written, check)
}

/** Adds those of `more` whose places have no issue yet. */
export function joinIssues(found: readonly Issue[], more: readonly Issue[]): readonly Issue[] {
  const places = new Set(found.map(({ path }) => printPath(path)))
  return [...found, ...more.filter(({ path }) => !places.has(printPath(path)))]
}

/** An issue at its place in the file, if it has one, without secrets that stand where none is expected. */
export function toProblem(
  { path, expected, received, hint }: Issue,
  place: { readonly line: number; readonly column: number } | undefined = undefined,
): ConfigProblem {
  const strayAt = path.findIndex((_, i) => isStray(path, i))
  const printed = printPath(strayAt < 0 ? path : path.slice(0, strayAt))
  const got = mayHoldCredentials(received) ? 'another value' : received
  return { path: printed, ...place, expected, got, ...(hint !== undefined && { hint }) }
}

/** The same for a suspicion. */
export function toWarning(suspicion: Suspicion, place: Parameters<typeof toProblem>[1]): ConfigWarning {
  const { code, fails } = suspicion
  return { ...toProblem(suspicion, place), ...(code !== undefined && { code }), ...(fails && { fails }) }
}

/** The objects whose members are secrets, so that a key or a token may stand as a name in them. */
const secretHolders =
  /^(?:admin|webhook|listen\.tls|tracing\.headers|networks.+\.upstreams\[\d+\]\.(?:headers|tls)|projects\[\d+\]\.(?:keys\[\d+\](?:\.secrets\[\d+\])?|jwt|jwt\.keys\[\d+\]))$/

/** The names that members of these have. */
const ownMembers =
  /^(?:token|tokens|hosts|url|cert|key|ca|keyHash|minVersion|secrets?|secretHash|plan|label|expiresAt|disabled|keys|audience|id|pem)$/

/** Tells whether the member name at `i` may be a secret itself. */
function isStray(path: IssuePath, i: number): boolean {
  const name = path[i]
  if (typeof name !== 'string') return false
  if (mayHoldCredentials(name)) return true
  return i === path.length - 1 && secretHolders.test(printPath(path.slice(0, i))) && !ownMembers.test(name)
}

/** Tells a URL, or an address with a user in front. */
function mayHoldCredentials(text: string): boolean {
  return /@|\/\//.test(text)
}
