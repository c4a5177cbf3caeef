import { isBefore, type StarknetVersion, starknetVersions } from '../versions.ts'
import { isMembers, type Members, without } from './members.ts'
import { invocations } from './trace.ts'
import type { Pair } from './untranslatable.ts'

/** A thing that versions say differently. */
export type Shape =
  | 'block'
  | 'blockReceipt'
  | 'event'
  | 'fee'
  | 'messageStatus'
  | 'receipt'
  | 'stateUpdate'
  | 'status'
  | 'trace'
  | 'transaction'

type Since = Readonly<Partial<Record<StarknetVersion, readonly string[]>>>

/** Members that came with a version, in the things of an answer; a dot leads into a member. Fee estimates are told by their own names. */
const later: Readonly<Record<Exclude<Shape, 'fee'>, Since>> = {
  block: {
    '0.7': ['l1_data_gas_price', 'l1_da_mode'],
    '0.8': ['l2_gas_price'],
    '0.10': [
      'event_commitment',
      'transaction_commitment',
      'receipt_commitment',
      'state_diff_commitment',
      'event_count',
      'transaction_count',
      'state_diff_length',
    ],
  },
  blockReceipt: { '0.7': ['execution_resources.data_availability'] },
  event: { '0.10': ['transaction_index', 'event_index'] },
  messageStatus: {},
  receipt: { '0.7': ['execution_resources.data_availability'] },
  stateUpdate: { '0.10': ['state_diff.migrated_compiled_classes'] },
  status: { '0.7': ['failure_reason'] },
  trace: { '0.7': ['execution_resources'], '0.10': ['state_diff.migrated_compiled_classes'] },
  transaction: { '0.8': ['resource_bounds.l1_data_gas'], '0.10': ['proof_facts', 'proof'] },
}

/** Members that came with a version, in each call of a trace. */
const laterInCalls: Since = { '0.6': ['execution_resources'], '0.8': ['is_reverted'] }

/**
 * Makes the function that leaves out members that came after the caller's version: some libraries refuse an answer that holds more than
 * their version names. Undefined where the endpoint's version has none.
 */
export function leaveOut(pair: Pair, shape: Shape): ((object: Members) => Members) | undefined {
  if (shape === 'fee') return undefined
  const paths = namesIn(pair, later[shape])
  const inCalls = shape === 'trace' ? namesIn(pair, laterInCalls) : []
  if (paths.length + inCalls.length === 0) return undefined
  return (object) => {
    let rest = object
    for (const path of paths) rest = withoutPath(rest, path)
    return inCalls.length === 0 ? rest : withoutInCalls(rest, invocations, inCalls)
  }
}

function namesIn({ caller, endpoint }: Pair, since: Since): readonly string[] {
  return starknetVersions.flatMap((version) =>
    isBefore(caller, version) && !isBefore(endpoint, version) ? (since[version] ?? []) : [],
  )
}

function withoutPath(object: Members, path: string): Members {
  const [name, inner] = path.split('.') as [string, string | undefined]
  const member = object[name]
  if (member === undefined) return object
  if (inner === undefined) return without(object, [name])
  if (!isMembers(member) || member[inner] === undefined) return object
  return { ...object, [name]: without(member, [inner]) }
}

/** Leaves members out of the calls at `places` of an object, and of all calls that they made. */
function withoutInCalls(object: Members, places: readonly string[], names: readonly string[]): Members {
  const inner = (call: unknown): unknown => {
    if (!isMembers(call)) return call
    const { calls } = call
    return without(Array.isArray(calls) ? { ...call, calls: calls.map(inner) } : call, names)
  }
  const calls = places.filter((name) => isMembers(object[name])).map((name) => [name, inner(object[name])] as const)
  return calls.length === 0 ? object : { ...object, ...Object.fromEntries(calls) }
}
