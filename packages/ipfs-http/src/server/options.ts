import { refusal } from './refusal.ts'

/** The types of Go, whose names callers read: `int` and `uint` have 32 bits here, as in Kubo. */
type OptionType = 'bool' | 'int' | 'int64' | 'uint' | 'string'

/** The query that a command takes: its arguments, and the type of each option. */
export interface CommandShape {
  /** The name of the argument; undefined if the command takes none. */
  readonly argument?: string
  /** Fewest arguments. Default 1 if `argument` is set. */
  readonly fewest?: number
  /** True if the lines of a file in the body are further arguments: Kubo's command line sends its standard input so. */
  readonly bodyArguments?: true
  readonly options?: Readonly<Record<string, OptionType>>
  /** The full name of each short one. */
  readonly short?: Readonly<Record<string, string>>
}

/** The query of a call. An option that was not given is undefined. */
export interface CommandOptions {
  readonly args: readonly string[]
  bool(name: string): boolean | undefined
  int(name: string): bigint | undefined
  string(name: string): string | undefined
}

const common: Readonly<Record<string, OptionType>> = {
  'cid-base': 'string',
  encoding: 'string',
  offline: 'bool',
  'stream-channels': 'bool',
  timeout: 'string',
  'upgrade-cidv0-in-output': 'bool',
}

/** The texts of a `bool`, in lower case. */
const bools = new Map([
  ...['', '1', 't', 'true'].map((text) => [text, true] as const),
  ...['0', 'f', 'false'].map((text) => [text, false] as const),
])
const maxArguments = 1_000

/**
 * Reads a query as go-ipfs-cmds does. Unknown options are ignored. Throws a 400 in plain text for an option that comes twice or
 * has another type, and for a missing argument. `more`: arguments that came in the body.
 */
export function readOptions(query: string, shape: CommandShape, more: readonly string[] = []): CommandOptions {
  const types = { ...common, ...shape.options }
  const values = new Map<string, string[]>()
  for (const [key, value] of new URLSearchParams(query)) {
    const name = shape.short?.[key] ?? key
    const known = values.get(name)
    if (known === undefined) values.set(name, [value])
    else known.push(value)
  }
  const args = [...(values.get('arg') ?? []), ...more]
  for (const [name, type] of Object.entries(types)) {
    const given = values.get(name)
    if (given === undefined) continue
    if (given.length > 1) {
      throw refusal(400, `expected key ${name} to have only a single value, received [${given.join(' ')}]\n`)
    }
    if (!fits(given[0]!, type)) {
      const value = given[0] === '' ? 'empty value' : `value ${JSON.stringify(given[0])}`
      throw refusal(400, `could not convert ${value} to type "${type}" (for option "-${name}")\n`)
    }
  }
  if (shape.argument !== undefined && args.length < (shape.fewest ?? 1)) {
    throw refusal(400, `argument "${shape.argument}" is required\n`)
  }
  if (args.length > maxArguments) throw refusal(400, `at most ${maxArguments} arguments, got ${args.length}\n`)
  const encoding = values.get('encoding')?.[0]
  if (encoding !== undefined && encoding !== 'json') throw refusal(400, `unsupported encoding: ask for json\n`)
  const text = (name: string): string | undefined => values.get(name)?.[0]
  return {
    args,
    bool: (name) => (text(name) === undefined ? undefined : bools.get(text(name)!.toLowerCase())),
    int: (name) => (text(name) === undefined ? undefined : readInteger(text(name)!)),
    string: text,
  }
}

function fits(value: string, type: OptionType): boolean {
  if (type === 'string') return true
  if (type === 'bool') return bools.has(value.toLowerCase())
  const number = readInteger(value)
  if (number === undefined) return false
  if (type === 'uint') return number === BigInt.asUintN(32, number) && !/^[+-]/.test(value)
  return number === BigInt.asIntN(type === 'int' ? 32 : 64, number)
}

const literal = /^(?:0[xX](?:_?[\da-fA-F])+|0[bB](?:_?[01])+|0[oO]?(?:_?[0-7])+|0|[1-9](?:_?\d)*)$/

/** An integer as Go writes it: `10`, `-10`, `0x0a`, `0b1010`, `0o12` and `012`, `1_000`. */
function readInteger(text: string): bigint | undefined {
  const digits = text.replace(/^[+-]/, '')
  if (digits.length > 80 || !literal.test(digits)) return undefined
  const number = BigInt(digits.replaceAll('_', '').replace(/^0(?=[0-7])/, '0o'))
  return text.startsWith('-') ? -number : number
}

const units: Readonly<Record<string, number>> = {
  ns: 1e-6,
  us: 1e-3,
  µs: 1e-3,
  μs: 1e-3,
  ms: 1,
  s: 1e3,
  m: 6e4,
  h: 3.6e6,
}

/** A duration as Go writes it (`1m30s`, `500ms`) in ms; undefined for any other text. */
export function readDuration(text: string): number | undefined {
  if (text === '0') return 0
  if (!/^\+?(?:(?:\d+\.?\d*|\.\d+)(?:ns|us|µs|μs|ms|s|m|h)){1,8}$/.test(text)) return undefined
  let ms = 0
  for (const [, amount, unit] of text.matchAll(/(\d+\.?\d*|\.\d+)(ns|us|µs|μs|ms|s|m|h)/g))
    ms += Number(amount) * units[unit!]!
  return ms
}
