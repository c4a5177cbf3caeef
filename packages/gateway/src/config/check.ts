import type { Config } from './config.ts'
import { faultsOfMeaning } from './meaning.ts'
import { configShape } from './schema.ts'
import { type Fault, printPath } from './shape.ts'

/** One thing wrong with a configuration, or hardly meant. It holds no value that may be secret. */
export interface ConfigProblem {
  /** `networks["base-sepolia"].upstreams[0]`; empty for the whole. */
  readonly path: string
  /** Both from 1; known for YAML and JSON files. */
  readonly line?: number
  readonly column?: number
  readonly expected: string
  readonly got: string
}

/** Thrown for a configuration that cannot be used: a line for each problem, with where, what was expected and what came. */
export class ConfigError extends Error {
  override readonly name: string = 'ConfigError'
  readonly problems: readonly ConfigProblem[]

  constructor(problems: readonly ConfigProblem[], file?: string) {
    super(problems.map((problem) => printProblem(problem, file)).join('\n'))
    this.problems = problems
  }
}

/** `wayleave.yaml:3:5: networks.main.kind: expected "evm", "rollup" or "starknet", got "bitcoin"` */
export function printProblem({ path, line, column, expected, got }: ConfigProblem, file?: string): string {
  const place = line === undefined ? '' : `:${line}:${column}`
  const where = path === '' && file === undefined ? 'the configuration' : path
  return [
    ...(file === undefined ? [] : [`${file}${place}`]),
    ...(where === '' ? [] : [where]),
    `expected ${expected}, got ${got}`,
  ].join(': ')
}

/** The configuration, checked. @throws ConfigError that tells of every problem. */
export function checkConfig(value: unknown): Config {
  const faults = findFaults(value)
  if (faults.length > 0) throw new ConfigError(faults.map((fault) => toProblem(fault)))
  return value as Config
}

/** Everything that is wrong with a configuration. */
export function findFaults(value: unknown): readonly Fault[] {
  const faults = configShape.faults(value, [])
  const seen = new Set(faults.map(({ path }) => printPath(path)))
  return [...faults, ...faultsOfMeaning(value).filter(({ path }) => !seen.has(printPath(path)))]
}

/** The members whose values an error may show. Any other, or whatever stands in its place, may hold a secret. */
const shownMembers =
  /^(dataDir|defaultNetwork|listen\.(rpc|ipfs|admin|tls\.minVersion)|limits\.\w+|ipfs\.(backend|dir|direct|maxRequestBytes|stallMs|collectEveryMs)|bareHosts\[\d+\]|methods\.deny\[\d+\]|networks(\.\w+|\["[^"]+"\])\.(kind|chainId|specVersion|rollupMode|verify|upstreams\[\d+\]\.verify|gas\.\w+)|projects\[\d+\]\.(name|requireSecret|billingCard|ipfs\.\w+|networks\[\d+\]))$/

/** What tells the kind of a value and not the value: no description of a text or a number begins like this. */
const harmless = /^(?:null|nothing|none|one|something|an?|another|the|more|http|E[A-Z]+)(?: |$)/

/** A fault without what may be secret, at a place of its file. */
export function toProblem(
  { path, expected, got }: Fault,
  place: { readonly line: number; readonly column: number } | undefined = undefined,
): ConfigProblem {
  const printed = printPath(path)
  const shown = shownMembers.test(printed) || harmless.test(got) ? got : 'another value'
  return { path: printed, ...place, expected, got: shown }
}
