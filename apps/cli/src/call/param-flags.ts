import { parseUnits, printQuantity } from '@wayleave/evm-types'
import { UsageError } from '../command.ts'
import { suggest } from '../suggest.ts'
import type { Method } from './methods.ts'

/** Flags that stand for params, for `parseArgs`. */
export const paramFlags = {
  block: { type: 'string' },
  to: { type: 'string' },
  from: { type: 'string' },
  data: { type: 'string' },
  value: { type: 'string' },
  gas: { type: 'string' },
  'gas-price': { type: 'string' },
  'max-fee-per-gas': { type: 'string' },
  'max-priority-fee-per-gas': { type: 'string' },
  nonce: { type: 'string' },
  address: { type: 'string', multiple: true },
  topic: { type: 'string', multiple: true },
  'from-block': { type: 'string' },
  'to-block': { type: 'string' },
} as const

export interface ParamFlagValues {
  readonly block?: string | undefined
  readonly address?: readonly string[] | undefined
  readonly topic?: readonly string[] | undefined
  readonly [flag: string]: unknown
}

/** The member of a call object that each flag sets, and how its text is read. */
const callMembers: Readonly<Record<string, readonly [member: string, kind: 'text' | 'wei' | 'count']>> = {
  to: ['to', 'text'],
  from: ['from', 'text'],
  data: ['data', 'text'],
  value: ['value', 'wei'],
  gas: ['gas', 'count'],
  'gas-price': ['gasPrice', 'wei'],
  'max-fee-per-gas': ['maxFeePerGas', 'wei'],
  'max-priority-fee-per-gas': ['maxPriorityFeePerGas', 'wei'],
  nonce: ['nonce', 'count'],
}
/** The member of a log filter that each flag sets. */
const filterMembers = { address: 'address', topic: 'topics', 'from-block': 'fromBlock', 'to-block': 'toBlock' } as const
const filterFlags = Object.keys(filterMembers)

/** Tells whether the method's first param is a call object. */
export function takesCall({ addressPaths = [], paramNames = [] }: Method): boolean {
  return addressPaths.includes('0.to') || paramNames[0] === 'call'
}

/** Tells whether the method's first param is a log filter. */
export function takesFilter({ paramNames = [] }: Method): boolean {
  return paramNames[0] === 'filter'
}

/** Finds the flag that sets a member of the first param, by the member's path: `[0].fromBlock`. */
export function flagOfMember(path: string): string | undefined {
  const member = /^\[0\]\.(\w+)/.exec(path)?.[1]
  const flags = {
    ...filterMembers,
    ...Object.fromEntries(Object.entries(callMembers).map(([flag, [name]]) => [flag, name])),
  }
  const flag = Object.entries(flags).find(([, name]) => name === member)?.[0]
  return flag === undefined ? undefined : `--${flag}`
}

/**
 * Builds the call object or log filter from its flags; undefined without any. `usage`: the params of the method.
 * @throws UsageError for a flag out of place
 */
export function objectOfFlags(method: Method, flags: ParamFlagValues, usage: string): object | undefined {
  refuseStrays(method, flags, usage)
  const call = takesCall(method) ? callOfFlags(flags) : {}
  const filter = takesFilter(method) ? filterOf(flags) : {}
  const object = { ...call, ...filter }
  return Object.keys(object).length === 0 ? undefined : object
}

/** Builds the log filter of a subscription from its flags; undefined for a `kind` without one. @throws UsageError for a flag out of place */
export function subscriptionFilterOf(kind: string, flags: ParamFlagValues): object | undefined {
  const takes = kind === 'logs' ? ['address', 'topic'] : []
  refuseFlags(
    `a subscription to ${kind}`,
    flags,
    Object.keys(paramFlags).filter((flag) => !takes.includes(flag)),
  )
  return kind === 'logs' ? filterOf(flags) : undefined
}

/** Builds a log filter from its flags; an empty one without any. */
export function filterOf(flags: ParamFlagValues): object {
  const { address, topic } = flags
  return {
    ...(address === undefined ? {} : { address: address.length === 1 ? address[0] : address }),
    // The first topic is the event's. Several topics for one position need a filter in JSON.
    ...(topic === undefined ? {} : { topics: topic.map((each) => (each === '' || each === 'any' ? null : each)) }),
    ...rangeEnd('fromBlock', flags['from-block']),
    ...rangeEnd('toBlock', flags['to-block']),
  }
}

function rangeEnd(member: string, text: unknown): object {
  return typeof text === 'string' ? { [member]: readBlock(text) } : {}
}

/** Builds a call object from its flags, with quantities in hex; an empty one without any. @throws UsageError for a wrong number */
export function callOfFlags(flags: ParamFlagValues): Readonly<Record<string, string>> {
  const members: Record<string, string> = {}
  for (const [flag, [member, kind]] of Object.entries(callMembers)) {
    const text = flags[flag]
    if (typeof text !== 'string') continue
    members[member] = kind === 'text' ? text : readAmount(`--${flag}`, text, kind === 'wei')
  }
  return members
}

function refuseStrays(method: Method, flags: ParamFlagValues, usage: string): void {
  const strays = [
    ...(takesCall(method) ? [] : Object.keys(callMembers)),
    ...(takesFilter(method) ? [] : filterFlags),
    ...(method.blockParam === undefined ? ['block'] : []),
  ]
  refuseFlags(method.name, flags, strays, usage === '' ? '' : `: expected ${usage}, by position`)
}

/** @throws UsageError if one of `strays` is given, which are flags that `what` does not take; `hint`: what it takes */
function refuseFlags(what: string, flags: ParamFlagValues, strays: readonly string[], hint = ''): void {
  const stray = strays.find((flag) => flags[flag] !== undefined)
  if (stray !== undefined) throw new UsageError(`--${stray}: ${what} has no such param${hint}`)
}

const decimalsOf: Readonly<Record<string, number>> = { wei: 0, gwei: 9, ether: 18 }

/** Reads a typed quantity: `21000`, `0x5208`, and with `units` also `1.5ether`, `30gwei`, `1wei`. @throws UsageError */
function readAmount(flag: string, text: string, units: boolean): string {
  const [, number = '', unit] = /^(.+?)\s*(wei|gwei|ether)?$/.exec(text) ?? []
  try {
    if (/^0x[0-9a-f]+$/i.test(number) && unit === undefined) return printQuantity(BigInt(number))
    if (units || unit === undefined) return printQuantity(parseUnits(number, decimalsOf[unit ?? 'wei']!))
  } catch {
    // The error below says what was expected.
  }
  const forms = units ? 'wei as a number (1000, 0x3e8), or with a unit: 1.5ether, 30gwei' : 'a number: 21000 or 0x5208'
  throw new UsageError(`${flag}: expected ${forms}; got "${text}"`)
}

const blockTags = ['latest', 'safe', 'finalized', 'pending', 'earliest']

/** Says that `text` is no block, in words for a person: a schema's own tell only of what goes over the wire. */
export function blockFault(text: string, takesHash: boolean): string {
  const tags = takesHash ? `${blockTags.join(', ')} or a hash` : `${blockTags.slice(0, -1).join(', ')} or earliest`
  return `expected a number (100, or 0x64 without leading zeros), ${tags}, got "${text}"${suggest(text, blockTags)}`
}

/** Prints a block as nodes take it: a decimal number becomes hex, anything else stays. */
export function readBlock(text: string): string {
  return /^(?:0|[1-9]\d{0,19})$/.test(text) ? `0x${BigInt(text).toString(16)}` : text
}
