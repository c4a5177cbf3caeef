import { isStream, rawJsonFromText, type RpcRequest, type RpcResponse } from '@wayleave/jsonrpc-core'
import type { MethodFacts } from '@wayleave/jsonrpc-core/schema'
import { findOldest } from '@wayleave/upstream'
import { quantityOf, valueOf } from './chain-of.ts'
import { evmActions } from './error-actions.ts'
import { evmHeadOf } from './head-of.ts'
import type { HistoryKind, HistoryNotes, HistoryRead } from './history-kind.ts'
import type { Need } from './needs.ts'
import { holdsWords } from './words-of-caller.ts'

/** Methods that read a resource at their block; those whose name begins with `debug_trace` or `trace_` read traces. */
const methods: Readonly<Record<string, readonly string[]>> = {
  state: [
    'eth_call',
    'eth_createAccessList',
    'eth_estimateGas',
    'eth_getBalance',
    'eth_getCode',
    'eth_getStorageAt',
    'eth_getStorageValues',
    'eth_getTransactionCount',
    'eth_simulateV1',
  ],
  proofs: ['eth_getProof'],
  blocks: [
    'debug_getRawBlock',
    'eth_getBlockAccessList',
    'eth_getBlockByHash',
    'eth_getBlockByNumber',
    'eth_getBlockTransactionCountByHash',
    'eth_getBlockTransactionCountByNumber',
    'eth_getRawTransactionByBlockHashAndIndex',
    'eth_getRawTransactionByBlockNumberAndIndex',
    'eth_getTransactionByBlockHashAndIndex',
    'eth_getTransactionByBlockNumberAndIndex',
    'eth_getUncleByBlockHashAndIndex',
    'eth_getUncleByBlockNumberAndIndex',
    'eth_getUncleCountByBlockHash',
    'eth_getUncleCountByBlockNumber',
  ],
  receipts: ['debug_getRawReceipts', 'eth_getBlockReceipts'],
}
/** Methods that look up a transaction by its hash. */
const lookups = new Set([
  'debug_getRawTransaction',
  'debug_traceTransaction',
  'eth_getRawTransactionByHash',
  'eth_getTransactionByHash',
  'eth_getTransactionReceipt',
  'trace_get',
  'trace_replayTransaction',
  'trace_transaction',
])

/** Methods that run code of their callers. */
const runners = new Set([
  'debug_traceCall',
  'debug_traceCallMany',
  'eth_call',
  'eth_createAccessList',
  'eth_estimateGas',
  'eth_simulateV1',
  'trace_call',
  'trace_callMany',
  'trace_rawTransaction',
])
/** Methods that may answer null where their block is there: nodes do not keep all of it, or have nothing at an index. */
const isOptional = (method: string): boolean => method.endsWith('AndIndex') || method === 'eth_getBlockAccessList'

/** The resources of `eth_capabilities`. Source: execution-apis, `src/schemas/capabilities.yaml`. */
const members: Readonly<Record<string, string>> = {
  state: 'state',
  stateproofs: 'proofs',
  blocks: 'blocks',
  receipts: 'receipts',
  logs: 'logs',
  tx: 'transactions',
}

type ReadHistory = (request: RpcRequest) => HistoryRead | undefined

/** The history of EVM nodes. Block 0 is not looked for: every node keeps it. Headers are never pruned. Source: EIP-4444. */
export function evmHistory(facts: MethodFacts, needs: (request: RpcRequest) => Need | undefined): HistoryKind {
  const reads = new Map<string, ReadHistory>()
  const at = (method: string, resource: string): void => {
    if (Object.hasOwn(facts, method)) reads.set(method, readAt(resource, isOptional(method), needs))
  }
  for (const [resource, names] of Object.entries(methods)) for (const method of names) at(method, resource)
  for (const [method, { effect, cache, blockParam, paramNames = [] }] of Object.entries(facts)) {
    if (effect !== 'read') continue
    const isTrace = method.startsWith('debug_trace') || method.startsWith('trace_')
    if (isTrace && (blockParam !== undefined || paramNames.includes('blockHash'))) at(method, 'traces')
    if (cache === 'range') reads.set(method, readRange(isTrace ? 'traces' : 'logs'))
    if (lookups.has(method)) reads.set(method, readTransaction(method, isTrace))
  }
  const actionOf = evmActions(facts, () => false)
  return {
    resources: {
      state: [],
      proofs: ['state'],
      blocks: [],
      receipts: ['blocks'],
      logs: ['blocks', 'receipts'],
      traces: ['blocks', 'state'],
      transactions: [],
    },
    transactions: 'transactions',
    reads: (request) => reads.get(request.method)?.(request),
    nothingIn({ method }, { error, result }) {
      if (error !== undefined || isStream(result) || result.byteLength > 4) return undefined
      const text = result.text()
      if (text === 'null') return 'null'
      return text === '[]' && (method === 'eth_getLogs' || method === 'eth_getBlockReceipts') ? 'empty' : undefined
    },
    mayEcho: (request) => runners.has(request.method) || holdsWords(request),
    minedAt: (request, response) => (lookups.has(request.method) ? (evmHeadOf(request, response) ?? 0) : undefined),
    acceptedBy({ method }, response) {
      if (method !== 'eth_sendRawTransaction' && method !== 'eth_sendTransaction') return undefined
      const hash = valueOf(response)
      return isHash(hash) ? hash.toLowerCase() : undefined
    },
    async examine(send, head, notes) {
      const reported = await reportedBy(send, notes)
      const answer: Look = async (method, params) => {
        const request = question(method, params)
        const response = await send(request)
        if (response.error === undefined) return { value: valueOf(response) }
        const action = actionOf(request, response.error)
        return action === 'pruned' || action === 'lagging' ? 'missing' : undefined
      }
      // An index that is not known has each unknown hash asked of all.
      if (!reported.has('transactions')) await examineIndex(answer, head, notes)
      const bounds = { first: 1, head, mostCalls: 12 }
      for (const [resource, method, params] of looks) {
        if (reported.has(resource)) continue
        const found = await findOldest(async (block) => thereIs(await answer(method, params(hex(block)))), bounds)
        if (found.has !== undefined) notes.served(resource, found.has)
        if (found.lacks !== undefined) notes.lacked(resource, found.lacks)
      }
    },
  }
}

/** Answers to a question of our own: a value, `missing` where the node says so, undefined where it says nothing of it. */
type Look = (method: string, params: string) => Promise<{ readonly value: unknown } | 'missing' | undefined>

const hex = (block: number): string => `0x${block.toString(16)}`
const isHash = (text: unknown): text is string => typeof text === 'string' && /^0x[\da-f]{64}$/i.test(text)
const question = (method: string, params: string): RpcRequest => ({
  method,
  params: rawJsonFromText(params),
  notification: false,
})

/** Cheap calls that show whether a node has a resource at a block. */
const looks: readonly (readonly [resource: string, method: string, params: (block: string) => string])[] = [
  ['state', 'eth_getBalance', (block) => `["0x${'0'.repeat(40)}","${block}"]`],
  ['blocks', 'eth_getBlockTransactionCountByNumber', (block) => `["${block}"]`],
  ['receipts', 'eth_getBlockReceipts', (block) => `["${block}"]`],
]

function thereIs(answer: Awaited<ReturnType<Look>>): boolean | undefined {
  if (answer === undefined) return undefined
  return answer !== 'missing' && answer.value !== null && answer.value !== undefined
}

const nothing: RpcResponse = { result: rawJsonFromText('null') }

/** Asks a node for its capabilities, and returns the resources of which it told. */
async function reportedBy(
  send: (request: RpcRequest) => Promise<RpcResponse>,
  notes: HistoryNotes,
): Promise<Set<string>> {
  const all = Object(valueOf(await send(question('eth_capabilities', '[]')).catch(() => nothing))) as Readonly<
    Record<string, unknown>
  >
  const reported = new Set<string>()
  for (const [member, resource] of Object.entries(members)) {
    const { disabled, oldestBlock, deleteStrategy } = Object(all[member]) as Readonly<Record<string, unknown>>
    const { type, retentionBlocks } = Object(deleteStrategy) as Readonly<Record<string, unknown>>
    const oldest = disabled === true ? Number.POSITIVE_INFINITY : quantityOf(oldestBlock)
    // Nodes print the window as a number, too.
    const blocks = type === 'window' ? (quantityOf(retentionBlocks) ?? Number(retentionBlocks)) : undefined
    if (oldest === undefined && !(blocks !== undefined && blocks > 0)) continue
    reported.add(resource)
    notes.reported(resource, { oldest: oldest ?? 0, ...(blocks !== undefined && blocks > 0 && { blocks }) })
  }
  return reported
}

/** Looks whether a node finds transactions of old blocks by their hash. */
async function examineIndex(answer: Look, head: number, notes: HistoryNotes): Promise<void> {
  for (let part = 4_096; part >= 4; part /= 4) {
    const block = Math.max(1, Math.floor(head / part))
    const found = await answer('eth_getTransactionByBlockNumberAndIndex', `["${hex(block)}","0x0"]`)
    if (found === 'missing') continue
    const { hash } = Object(found?.value) as { readonly hash?: unknown }
    if (!isHash(hash)) continue
    const isThere = thereIs(await answer('eth_getTransactionByHash', `["${hash}"]`))
    // Nodes index from some block on: the first that has transactions stands for all before it.
    if (isThere === true) notes.reported('transactions', { oldest: 0 })
    else if (isThere === false) notes.lacked('transactions', block)
    return
  }
}

/** Reads the block parameter of a call; an index in it may find nothing. */
function readAt(
  resource: string,
  mayBeNothing: boolean,
  needs: (request: RpcRequest) => Need | undefined,
): ReadHistory {
  return (request) => {
    const need = needs(request)
    if (need === undefined || 'tag' in need) return undefined
    // A tracer of the caller's own returns what it likes.
    const isCertain = !mayBeNothing && !(resource === 'traces' && holdsWords(request))
    if ('hash' in need) return { resource, hash: need.hash, isCertain }
    return need.atLeast === 0 ? undefined : { resource, block: need.atLeast, isCertain }
  }
}

/** Reads the earlier end of a filter's range. */
function readRange(resource: string): ReadHistory {
  return ({ params }) => {
    const args = params?.value()
    const { blockHash, fromBlock } = Object(Array.isArray(args) ? args[0] : undefined) as Readonly<
      Record<string, unknown>
    >
    if (isHash(blockHash)) return { resource, hash: blockHash.toLowerCase(), isCertain: false }
    const block = fromBlock === 'earliest' ? 0 : quantityOf(fromBlock)
    return block === undefined ? undefined : { resource, block, isCertain: false }
  }
}

/** Reads the hash of a look-up; `isTrace`: it needs the state of the transaction's block, too. */
function readTransaction(method: string, isTrace: boolean): ReadHistory {
  return (request) => {
    const args = request.params?.value()
    const hash: unknown = Array.isArray(args) ? args[0] : undefined
    if (!isHash(hash)) return undefined
    const isCertain = method !== 'trace_get' && !(isTrace && holdsWords(request))
    return { resource: 'transactions', hash: hash.toLowerCase(), isCertain, ...(isTrace && { content: 'traces' }) }
  }
}
