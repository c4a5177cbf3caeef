import { readFile } from 'node:fs/promises'
import { text as readAll } from 'node:stream/consumers'
import type { SchemaIssue } from '@wayleave/jsonrpc-core/schema'
import { starknetVersions } from '@wayleave/starknet-types'
import { type CommandIo, UsageError } from '../command.ts'
import type { CallFlagValues } from './call-flags.ts'
import { missingParam, readValue, upper, usageOf as usageOfNames } from './read-params.ts'
import { type StarknetMethod, starknetMethodsOf, starknetSubscriptionsOf } from './starknet-methods.ts'

const allNames = starknetVersions.flatMap((version) =>
  [...starknetMethodsOf(version), ...starknetSubscriptionsOf(version)].flatMap(({ paramNames }) =>
    paramNames.map(plain),
  ),
)

/** A flag for each param of any method of any version, for `parseArgs`. */
export const starknetParamFlags: Readonly<Record<string, { readonly type: 'string' }>> = Object.fromEntries(
  allNames.map((name) => [flagOf(name), { type: 'string' }]),
)

/** The flags of `wayleave starknet`, as they were given. */
export interface StarknetFlags extends CallFlagValues {
  readonly unchecked: boolean
  readonly 'spec-version'?: string | undefined
  readonly 'chain-id'?: string | undefined
  readonly count?: string | undefined
  readonly [param: string]: unknown
}

/** The values of params that may be omitted. */
const defaults: Readonly<Record<string, unknown>> = { simulation_flags: [], block_id: 'latest' }

/**
 * Reads the params of a method by name, as a person types them: some by flags, the rest by position. Each is JSON if it
 * parses as JSON, else text; `@FILE` reads JSON from a file and `-` from stdin. A block may be a tag, a number or a hash, a
 * felt may be decimal, and a list may be its elements with commas. @throws UsageError for wrong params, unless `unchecked`
 */
export async function readStarknetParams(
  method: StarknetMethod,
  texts: readonly string[],
  flags: Readonly<Record<string, unknown>>,
  io: CommandIo,
  unchecked: boolean,
): Promise<unknown> {
  const readings = new Map<string, readonly unknown[]>()
  for (const [name, text] of placed(method, texts, flags)) {
    readings.set(name, text === undefined ? [defaults[name]] : await readingsOf(name, text, io))
  }
  const firsts = Object.fromEntries([...readings].map(([name, [first]]) => [name, first]))
  const params = method.paramNames.length === 0 ? [] : { ...firsts }
  if (unchecked || Array.isArray(params)) return params
  for (;;) {
    const issue = method.params.check(params, '')
    if (issue === undefined) return params
    const name = issue.path.slice(1)
    const [, ...others] = readings.get(name) ?? []
    // If no reading fits, the message is about the likeliest one.
    if (others.length === 0) throw refusal(method, method.params.check({ ...params, [name]: firsts[name] }, '')!)
    readings.set(name, others)
    params[name] = others[0]
  }
}

function refusal({ paramNames }: StarknetMethod, { path, expected, received }: SchemaIssue): UsageError {
  const name = path.slice(1)
  const place = paramNames.some((each) => plain(each) === name) ? upper(name) : `params${path}`
  const wanted = name === 'block_id' ? `a number, a hash, ${expected}` : expected
  return new UsageError(`${place}: expected ${wanted}, got ${received}; --unchecked sends it all the same`)
}

/** Maps each param to its text, or to undefined for its default. Flags come first, then positions, then defaults. */
function placed(
  method: StarknetMethod,
  texts: readonly string[],
  flags: Readonly<Record<string, unknown>>,
): Map<string, string | undefined> {
  const { paramNames } = method
  const stray = [...new Set(allNames)].find(
    (name) => flags[flagOf(name)] !== undefined && !paramNames.some((each) => plain(each) === name),
  )
  if (stray !== undefined) throw new UsageError(`--${flagOf(stray)}: ${method.name} has no such param`)
  if (texts.some((text) => /^(?:https?|wss?):\/\//.test(text)))
    throw new UsageError('a URL came as an argument: give it by --rpc-url')
  const given = new Map<string, string | undefined>()
  let places = paramNames.filter((each) => {
    const text = flags[flagOf(plain(each))]
    if (typeof text === 'string') given.set(plain(each), text)
    return text === undefined
  })
  for (const name of Object.keys(defaults)) {
    if (places.filter((each) => !each.endsWith('?')).length <= texts.length || !places.includes(name)) continue
    given.set(name, undefined)
    places = places.filter((each) => each !== name)
  }
  if (texts.length > places.length) throw new UsageError(`too many arguments: expected ${usageOf(method) || 'none'}`)
  const missing = places[texts.length]
  if (missing !== undefined && !missing.endsWith('?'))
    throw new UsageError(missingParam(upper(missing), usageOf(method)))
  for (const [i, text] of texts.entries()) given.set(plain(places[i]!), text)
  return given
}

/** Prints the params of a method for its usage line, optional ones in brackets: `[BLOCK_ID] CONTRACT_ADDRESS`. */
export function usageOf(method: StarknetMethod): string {
  const paramNames = method.paramNames.map((name) => (Object.hasOwn(defaults, name) ? `${name}?` : name))
  return usageOfNames({ ...method, paramNames })
}

/** Lists the possible values of a text, the likeliest first. */
async function readingsOf(name: string, text: string, io: CommandIo): Promise<readonly unknown[]> {
  const fromFile = text === '-' || text.startsWith('@')
  if (name === 'block_id' && !fromFile) return [readBlockId(text)]
  const value = fromFile ? await readJson(text.replace(/^@/, ''), io, `--${flagOf(name)}`) : readValue(text)
  // One transaction stands for a list of one.
  if (typeof value === 'object') return Array.isArray(value) ? [value] : [value, [value]]
  if (fromFile) return [value]
  const hex = /^\d+$/.test(text) ? [`0x${BigInt(text).toString(16)}`] : []
  return [value, ...hex, text, text.split(',')]
}

/** Reads a block as nodes take it, from a tag, a number, a hash or JSON. */
function readBlockId(text: string): unknown {
  if (/^0x[0-9a-f]+$/i.test(text)) return { block_hash: text }
  const value = readValue(text)
  return typeof value === 'number' ? { block_number: value } : value
}

/** Reads the JSON of a file, or of stdin for `-`. @throws UsageError */
export async function readJson(path: string, io: CommandIo, what: string): Promise<unknown> {
  if (path === '') throw new UsageError(`${what}: expected the name of a file behind @`)
  const place = path === '-' ? 'stdin' : path
  let json: string
  try {
    json = path === '-' ? await readAll(io.process.stdin) : await readFile(path, 'utf8')
  } catch (thrown) {
    throw new UsageError(`${what}: ${place} cannot be read: ${(thrown as Error).message}`)
  }
  try {
    return JSON.parse(json)
  } catch (thrown) {
    throw new UsageError(`${what}: expected JSON in ${place}: ${(thrown as Error).message}`)
  }
}

/** Prints `block_id?` as a flag: `block-id`. */
export function flagOf(name: string): string {
  return plain(name).replaceAll('_', '-')
}

function plain(name: string): string {
  return name.replace(/\?$/, '')
}
