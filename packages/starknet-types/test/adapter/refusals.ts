// The README's list of refusals between two versions, as a table: any other refusal is a mistake.
import { type StarknetVersion as V } from '../../src/index.ts'
import { since } from './things.ts'

const blocks = ['starknet_getBlockWithTxHashes', 'starknet_getBlockWithTxs', 'starknet_getBlockWithReceipts']
const receipts = ['starknet_getTransactionReceipt', 'starknet_getBlockWithReceipts']
const transactions = [
  'starknet_getBlockWithTxs',
  'starknet_getBlockWithReceipts',
  'starknet_getTransactionByHash',
  'starknet_getTransactionByBlockIdAndIndex',
]
const traces = ['starknet_traceTransaction', 'starknet_traceBlockTransactions', 'starknet_simulateTransactions']
const fees = ['starknet_estimateFee', 'starknet_estimateMessageFee', 'starknet_simulateTransactions']

/** Whether one of two versions is before `first`, and the other one is not. */
const rises = (first: V, caller: V, endpoint: V): boolean => !since(endpoint, first) && since(caller, first)
const falls = (first: V, caller: V, endpoint: V): boolean => rises(first, endpoint, caller)

/** Whether a node is not asked at all, since no answer of its version holds what the caller's version requires. */
export function isUnanswerable(caller: V, endpoint: V, method: string): boolean {
  const isUp = since(caller, endpoint)
  if (traces.includes(method) && isUp && !since(endpoint, '0.8')) return true
  return receipts.includes(method) && (rises('0.7', caller, endpoint) || rises('0.8', caller, endpoint))
}

/** Whether the hash of a transaction covers what a node's version does not have, or lacks what it requires. */
export function isToBeSignedAnew(transaction: unknown, endpoint: V): boolean {
  const { version, resource_bounds, proof_facts } = transaction as {
    readonly version: string
    readonly resource_bounds?: object
    readonly proof_facts?: unknown
  }
  if (version !== '0x3') return since(endpoint, '0.8')
  const isBounded = 'l1_data_gas' in resource_bounds!
  return (
    endpoint === '0.5.1' || isBounded !== since(endpoint, '0.8') || (proof_facts !== undefined && endpoint !== '0.10')
  )
}

/** Answers that are refused: of which methods, with which words, and between which versions. */
const refusedAnswers: readonly (readonly [
  methods: readonly string[],
  reason: RegExp,
  isBetween: (caller: V, endpoint: V) => boolean,
])[] = [
  [
    [...blocks, ...receipts],
    /no block_number,/,
    (caller, endpoint) => rises('0.9', caller, endpoint), //
  ],
  [blocks, /no parent_hash,/, (caller, endpoint) => falls('0.9', caller, endpoint)],
  [blocks, /no event_count,/, (caller) => caller === '0.10'],
  [blocks, /no l1_data_gas_price,/, (caller, endpoint) => rises('0.7', caller, endpoint)],
  [blocks, /no l2_gas_price,/, (caller, endpoint) => rises('0.8', caller, endpoint)],
  [blocks, /no l1_gas_price\.price_in_fri,/, (_, endpoint) => endpoint === '0.5.1'],
  [transactions, /no resource_bounds\.l1_data_gas,/, (caller, endpoint) => rises('0.8', caller, endpoint)],
  [traces, /no function_invocation \(/, (caller, endpoint) => falls('0.9', caller, endpoint)],
  [
    fees,
    /no l2_gas_consumed \(the fee is more than its resources\),/,
    (caller, endpoint) => endpoint === '0.7' && since(caller, '0.8'),
  ],
  [
    fees,
    /no consumption of data gas,/,
    (caller, endpoint) => !since(endpoint, '0.7') && since(caller, '0.7'), //
  ],
  [['starknet_getEvents'], /no transaction_index,/, (caller) => caller === '0.10'],
  [['starknet_getStateUpdate'], /no old_root,/, (_, endpoint) => endpoint === '0.10'],
  [['starknet_getTransactionStatus', ...blocks], / REJECTED$/, (caller, endpoint) => rises('0.9', caller, endpoint)],
  [
    ['starknet_getMessagesStatus'],
    /no (?:finality_status ACCEPTED|execution_status),/,
    (caller, endpoint) => rises('0.9', caller, endpoint),
  ],
]

/** Whether the table has an answer's refusal with such words. */
export function isRefusedAnswer(caller: V, endpoint: V, method: string, message: string): boolean {
  return refusedAnswers.some(
    ([methods, reason, isBetween]) => methods.includes(method) && reason.test(message) && isBetween(caller, endpoint),
  )
}
