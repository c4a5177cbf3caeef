import type { Change } from '../test/support/relay.ts'
import {
  all,
  at,
  blockLabelled,
  each,
  elsewhere,
  inBrief,
  inFull,
  labelled,
  nobody,
  on,
  put,
  type Twist,
  unsigned,
  withoutProofs,
} from './changes.ts'
import type { World } from './world.ts'

/** One false answer, and the false evidence beside it. */
export interface Lie {
  /** `unproven`: no proof covers the method. */
  readonly about: 'transaction' | 'place' | 'receipt' | 'receipts' | 'block' | 'count' | 'logs' | 'state' | 'unproven'
  readonly name: string
  readonly method: string
  readonly params: (world: World) => readonly unknown[]
  readonly change: (world: World) => Change
}

/** The precompiled contract that gives back what it is given. */
const identity = `0x${'4'.padStart(40, '0')}`
const times =
  (factor: bigint): Twist =>
  (quantity: string) =>
    `0x${(BigInt(quantity) * factor).toString(16)}`
const flipped = put({ status: '0x0' })
const fromNobody = put({ from: nobody })
const pending = put({ blockHash: null, blockNumber: null, transactionIndex: null })
const nothing = (): null => null
const silent = put({ logs: [], logsBloom: `0x${'0'.repeat(512)}` })

function lies(
  about: Lie['about'],
  method: string,
  params: Lie['params'],
  changes: Readonly<Record<string, Change | ((world: World) => Change)>>,
): Lie[] {
  // A change takes two arguments, a function that makes one takes a world.
  return Object.entries(changes).map(([name, change]) => ({
    about,
    name,
    method,
    params,
    change: (world) => (change.length === 1 ? (change as (world: World) => Change)(world) : (change as Change)),
  }))
}

const byHash = 'eth_getTransactionByHash'
const byPlace = 'eth_getTransactionByBlockHashAndIndex'
const byNumberedPlace = 'eth_getTransactionByBlockNumberAndIndex'
const lone = 'eth_getTransactionReceipt'
const list = 'eth_getBlockReceipts'

const only = (method: string): RegExp => new RegExp(`^${method}$`)
const txHash: Lie['params'] = ({ block }) => [block.transactions[0]!.hash]
const swapped = (method: string) => (world: World) =>
  on(only(method), () => ({ ...world.block.transactions[2], transactionIndex: '0x0' }))
const swappedBeside = (method: string) => (world: World) => all(swapped(method)(world), blockLabelled)
/** Twists the lone receipt and the same one in the list. */
const inBoth = (twist: Twist): Change => all(on(only(lone), twist), on(only(list), at(0, twist)))

/** All lies. */
export const catalogue: readonly Lie[] = [
  ...lies('transaction', byHash, txHash, {
    'another value': on(only(byHash), put({ value: '0x6' })),
    'another sender': on(only(byHash), put({ from: nobody })),
    'other input': on(only(byHash), put({ input: '0x6057361d' })),
    'an unknown type': on(only(byHash), put(labelled)),
    'no signature': on(only(byHash), put(unsigned)),
    'an unknown type, another value': on(only(byHash), put({ ...labelled, value: '0x6' })),
    'another index': on(only(byHash), put({ transactionIndex: '0x1' })),
    'a block far ahead': on(only(byHash), put({ blockHash: elsewhere, blockNumber: '0xffffff' })),
    'said to be pending': on(only(byHash), pending),
    null: on(only(byHash), nothing),
    'an unknown type, in its block too': all(
      on(only(byHash), put({ ...labelled, value: '0x6' })),
      on(/^eth_getBlockBy/, inFull(at(0, put(labelled)))),
    ),
  }),
  ...lies('place', byPlace, ({ block }) => [block.hash, '0x0'], {
    'another transaction': swapped(byPlace),
    'another transaction, the block labelled': swappedBeside(byPlace),
    null: on(only(byPlace), nothing),
    'null, the block labelled': all(on(only(byPlace), nothing), blockLabelled),
    'an unknown type': on(only(byPlace), put(labelled)),
  }),
  ...lies('place', byNumberedPlace, ({ block }) => [block.number, '0x0'], {
    'another transaction': (world: World) =>
      on(/^eth_getTransactionByBlock/, () => ({ ...world.block.transactions[2], transactionIndex: '0x0' })),
    'another transaction, the block labelled': (world: World) =>
      all(
        on(/^eth_getTransactionByBlock/, () => ({ ...world.block.transactions[2], transactionIndex: '0x0' })),
        blockLabelled,
      ),
    'an unknown type, another value': on(/^eth_getTransactionByBlock/, put({ ...labelled, value: '0x6' })),
  }),
  ...lies('receipt', lone, txHash, {
    'another status': on(only(lone), flipped),
    'another status, in the list too': inBoth(flipped),
    'another status, the block labelled': all(inBoth(flipped), blockLabelled),
    'from nobody, another status': inBoth(put({ from: nobody, status: '0x0' })),
    'no logs': inBoth(silent),
    null: on(only(lone), nothing),
    'another price': inBoth(put({ effectiveGasPrice: '0x1' })),
    'an unknown type, another status': inBoth(put({ ...labelled, status: '0x0' })),
  }),
  ...lies('receipts', list, ({ block }) => [block.hash], {
    'another status': on(only(list), at(1, flipped)),
    'another status, the block labelled': all(on(only(list), at(1, flipped)), blockLabelled),
    'from nobody, another status': on(only(list), each(put({ from: nobody, status: '0x0' }))),
    'the last left out': on(only(list), (receipts: readonly unknown[]) => receipts.slice(0, -1)),
    null: on(only(list), nothing),
  }),
  ...lies('block', 'eth_getBlockByHash', ({ block }) => [block.hash, false], {
    'another hash': on(/^eth_getBlockBy/, inBrief(at(0, () => elsewhere))),
    'another hash, the block labelled': all(on(/^eth_getBlockBy/, inBrief(at(0, () => elsewhere))), blockLabelled),
    'the last hash left out, the block labelled': all(
      on(
        /^eth_getBlockBy/,
        inBrief((hashes: readonly unknown[]) => hashes.slice(0, -1)),
      ),
      blockLabelled,
    ),
    null: on(/^eth_getBlockByHash$/, nothing),
  }),
  ...lies('block', 'eth_getBlockByNumber', ({ block }) => [block.number, true], {
    'an unknown type, another value': on(/^eth_getBlockBy/, inFull(at(0, put({ ...labelled, value: '0x6' })))),
    'no signature, another recipient': on(/^eth_getBlockBy/, inFull(at(0, put({ ...unsigned, to: nobody })))),
    null: on(/^eth_getBlockBy/, nothing),
  }),
  ...lies('count', 'eth_getBlockTransactionCountByHash', ({ block }) => [block.hash], {
    'another count': on(/^eth_getBlockTransactionCount/, () => '0x2'),
    'another count, the block labelled': all(
      on(/^eth_getBlockTransactionCount/, () => '0x2'),
      blockLabelled,
    ),
  }),
  ...lies('count', 'eth_getBlockTransactionCountByNumber', ({ block }) => [block.number], {
    'another count, the block labelled': all(
      on(/^eth_getBlockTransactionCount/, () => '0x2'),
      blockLabelled,
    ),
  }),
  ...lies('logs', 'eth_getLogs', ({ block }) => [{ fromBlock: '0x1', toBlock: block.number }], {
    'one left out': on(/^eth_getLogs$/, (logs: readonly unknown[]) => logs.slice(1)),
    none: on(/^eth_getLogs$/, () => []),
    'other data': on(/^eth_getLogs$/, at(0, put({ data: `0x${'0'.repeat(63)}8` }))),
    'none, the blocks and receipts labelled': all(
      on(/^eth_getLogs$/, () => []),
      blockLabelled,
      on(only(list), each(fromNobody)),
    ),
  }),
  ...lies('logs', 'eth_getLogs', ({ block, contract }) => [{ blockHash: block.hash, address: contract }], {
    'none, the receipts labelled': all(
      on(/^eth_getLogs$/, () => []),
      on(only(list), each(put(labelled))),
    ),
  }),
  ...lies('state', 'eth_getBalance', ({ reader, block }) => [reader, block.number], {
    'another balance': on(/^eth_getBalance$/, () => '0x0'),
    'another balance, no proof': all(
      on(/^eth_getBalance$/, () => '0x0'),
      withoutProofs,
    ),
    null: on(/^eth_getBalance$/, nothing),
  }),
  ...lies('state', 'eth_getStorageAt', ({ contract, block }) => [contract, '0x0', block.number], {
    'another value': on(/^eth_getStorageAt$/, () => `0x${'0'.repeat(63)}7`),
    'another value, no proof': all(
      on(/^eth_getStorageAt$/, () => `0x${'0'.repeat(63)}7`),
      withoutProofs,
    ),
  }),
  ...lies('state', 'eth_getTransactionCount', ({ reader, block }) => [reader, block.number], {
    'another nonce': on(/^eth_getTransactionCount$/, () => '0x7'),
  }),
  ...lies('state', 'eth_getCode', ({ contract, block }) => [contract, block.number], {
    'other code': on(/^eth_getCode$/, () => '0x00'),
  }),
  ...lies('unproven', 'eth_call', ({ block }) => [{ to: identity, data: '0x2a' }, block.number], {
    'another result': on(/^eth_call$/, () => '0x2b'),
  }),
  ...lies('unproven', 'eth_gasPrice', () => [], { 'a thousand times as much': on(/^eth_gasPrice$/, times(1_000n)) }),
  ...lies('unproven', 'eth_feeHistory', () => ['0x1', 'latest', []], {
    'another base fee': on(/^eth_feeHistory$/, put({ baseFeePerGas: ['0x3b9aca00', '0x3b9aca00'] })),
  }),
  ...lies('unproven', 'eth_blobBaseFee', () => [], {
    'a thousand times as much': on(/^eth_blobBaseFee$/, times(1_000n)),
  }),
  ...lies('unproven', 'eth_getTransactionCount', ({ reader }) => [reader, 'pending'], {
    'five more that are pending': on(/^eth_getTransactionCount$/, () => '0x5'),
  }),
  ...lies('unproven', 'debug_traceTransaction', ({ block }) => [block.transactions[0]!.hash, {}], {
    'a trace that failed': on(/^debug_traceTransaction$/, put({ failed: true })),
  }),
]
