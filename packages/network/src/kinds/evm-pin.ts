import { rawJsonFromText, type RpcRequest, type RpcResponse } from '@wayleave/jsonrpc-core'
import type { MethodFacts } from '@wayleave/jsonrpc-core/schema'
import type { Position } from '@wayleave/upstream'
import { elementSpan, nonArrayArgs, withReplaced } from './rewrite-params.ts'

/** An argument in place of another one, or behind the last, and the method that takes it, where that is another one. */
interface PinnedArgument {
  readonly index: number
  readonly by: string
  readonly method?: string
}

type PinRule = (args: readonly unknown[], block: Position) => PinnedArgument | undefined

const hex = ({ number }: Position): string => `0x${number.toString(16)}`
const numberOf = (block: Position): string => `"${hex(block)}"`
const hashOf = ({ hash }: Position): string => `"${hash}"`
const objectOf = ({ hash }: Position): string => `{"blockHash":"${hash}"}`

/** The methods of EIP-1898, which take a block by its hash. */
export const takeObject: ReadonlySet<string> = new Set([
  'eth_getBalance',
  'eth_getStorageAt',
  'eth_getTransactionCount',
  'eth_getCode',
  'eth_call',
  'eth_getProof',
])

/**
 * Makes the function that has a call of an EVM node ask at one block wherever it asks at the latest one: by the block's hash where the method
 * takes it, else by its number. `eth_blockNumber` is answered. Everything else stays as it is: `pending`, `safe`, `finalized`, blocks that
 * the caller chose, calls without a block.
 */
export function evmPin(facts: MethodFacts): (request: RpcRequest, block: Position) => RpcRequest | RpcResponse {
  const rules = new Map<string, PinRule>([
    ['eth_getLogs', pinLogs],
    ['trace_filter', pinTraceFilter],
    ['debug_traceCallMany', pinPlace],
  ])
  for (const [method, { effect, blockParam, paramNames = [] }] of Object.entries(facts)) {
    if (effect !== 'read' || blockParam === undefined) continue
    const twin = method.replace('Number', 'Hash')
    const byHash = twin !== method && Object.hasOwn(facts, twin) ? twin : undefined
    rules.set(method, pinBlock(method, blockParam, paramNames[blockParam]?.endsWith('?') === true, byHash))
  }
  return (request, block) => {
    const { method, params } = request
    if (method === 'eth_blockNumber') return { result: rawJsonFromText(numberOf(block)) }
    const rule = rules.get(method)
    if (rule === undefined || params === undefined) return request
    const args = params.value()
    if (!Array.isArray(args)) return nonArrayArgs
    const pinned = rule(args, block)
    if (pinned === undefined) return request
    const { index, by } = pinned
    const isThere = index < args.length
    const { start, end } = elementSpan(params.text(), isThere ? index : index - 1)
    const place = isThere ? { start, end, by } : { start: end, end, by: `,${by}` }
    return withReplaced(request, [place], pinned.method)
  }
}

/** `byHash`: the method that takes the block's hash in place of its number. */
function pinBlock(method: string, index: number, isOptional: boolean, byHash: string | undefined): PinRule {
  const isReceipts = method === 'eth_getBlockReceipts'
  const print = byHash !== undefined || isReceipts ? hashOf : takeObject.has(method) ? objectOf : numberOf
  return (args, block) => {
    if (index > args.length || (index === args.length && !isOptional)) return undefined
    // There, `pending` means `latest`.
    if (!isLatest(args[index]) && !(isReceipts && args[index] === 'pending')) return undefined
    return { index, by: print(block), ...(byHash !== undefined && { method: byHash }) }
  }
}

/** A filter that asks for nothing but the latest block asks for its hash. */
function pinLogs([filter]: readonly unknown[], block: Position): PinnedArgument | undefined {
  if (!isObject(filter) || (filter['blockHash'] ?? null) !== null) return undefined
  const { fromBlock, toBlock, ...rest } = filter
  if (isLatest(fromBlock) && isLatest(toBlock)) return withMembers(0, rest, { blockHash: block.hash })
  if (isLatest(toBlock)) return withMembers(0, filter, { toBlock: hex(block) })
  return isLatest(fromBlock) ? withMembers(0, filter, { fromBlock: hex(block) }) : undefined
}

/** Nodes search from their first block where no other one is named. */
function pinTraceFilter([filter]: readonly unknown[], block: Position): PinnedArgument | undefined {
  if (!isObject(filter)) return undefined
  const ends = ['fromBlock', 'toBlock'].filter(
    (end) => filter[end] === 'latest' || (end === 'toBlock' && isLatest(filter[end])),
  )
  if (ends.length === 0) return undefined
  return withMembers(0, filter, Object.fromEntries(ends.map((end) => [end, hex(block)])))
}

/** Erigon names the block beside the place in it where bundles are executed. */
function pinPlace([, place]: readonly unknown[], block: Position): PinnedArgument | undefined {
  if (!isObject(place) || !isLatest(place['blockNumber'])) return undefined
  return withMembers(1, place, { blockNumber: hex(block) })
}

function withMembers(index: number, argument: Members, members: Members): PinnedArgument {
  return { index, by: JSON.stringify({ ...argument, ...members }) }
}

type Members = Readonly<Record<string, unknown>>

function isObject(value: unknown): value is Members {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function isLatest(block: unknown): boolean {
  if (block === undefined || block === null || block === 'latest') return true
  return isObject(block) && block['blockNumber'] === 'latest' && block['blockHash'] === undefined
}
