import { word } from './evm/bytes.ts'
import type { View } from './answers.ts'

type Json = Readonly<Record<string, unknown>>

/** Makes an answer of a method false. `again` asks an honest node of another view. */
type Twist = (result: never, view: View) => unknown

interface Lie {
  readonly name: string
  readonly methods: RegExp
  readonly twist: Twist
}

const put =
  (members: Json): Twist =>
  (answer: Json) => ({ ...answer, ...members })
const first =
  (twist: Twist): Twist =>
  (list: readonly unknown[], view) =>
    list.map((each, i) => (i === 0 ? twist(each as never, view) : each))
const inTransactions =
  (twist: Twist): Twist =>
  (block: { readonly transactions: readonly unknown[] }, view) =>
    typeof block.transactions[0] === 'object'
      ? { ...block, transactions: first(twist)(block.transactions as never, view) }
      : block
const nothing: Twist = () => null
const nobody = `0x${'0'.repeat(40)}`

const block = /^eth_getBlockBy/
const transaction = /^eth_getTransactionBy/
const receipt = /^eth_getTransactionReceipt$/
const receipts = /^eth_getBlockReceipts$/
const logs = /^eth_getLogs$/
const noBloom = `0x${'0'.repeat(512)}`

/** The lies that liars tell; a fault's `variant` picks one, counted round. */
export const lies: readonly Lie[] = [
  { name: 'another value of a transaction', methods: transaction, twist: put({ value: '0x6' }) },
  { name: 'another sender', methods: transaction, twist: put({ from: nobody }) },
  { name: 'a receipt that failed', methods: receipt, twist: put({ status: '0x0' }) },
  { name: 'a receipt without logs', methods: receipt, twist: put({ logs: [], logsBloom: noBloom }) },
  { name: 'receipts without the last', methods: receipts, twist: (all: readonly unknown[]) => all.slice(0, -1) },
  { name: 'receipts, the first failed', methods: receipts, twist: first(put({ status: '0x0' })) },
  { name: 'logs without the first', methods: logs, twist: (all: readonly unknown[]) => all.slice(1) },
  { name: 'no logs', methods: logs, twist: () => [] },
  { name: 'logs of other data', methods: logs, twist: first(put({ data: word(8) })) },
  { name: 'another hash of a block', methods: block, twist: put({ hash: `0x${'56'.repeat(32)}` }) },
  { name: 'another time of a block', methods: block, twist: put({ timestamp: '0x1' }) },
  { name: 'a block with another transaction', methods: block, twist: inTransactions(put({ value: '0x6' })) },
  { name: 'another balance', methods: /^eth_getBalance$/, twist: () => '0x7' },
  { name: 'another nonce', methods: /^eth_getTransactionCount$/, twist: () => '0x7' },
  { name: 'null for what exists', methods: /^eth_get(Transaction|BlockBy|BlockReceipts)/, twist: nothing },
  { name: 'another outcome of a call', methods: /^eth_call$/, twist: () => word(9) },
  {
    name: 'a head far above',
    methods: /^eth_blockNumber$/,
    twist: (_: string, { head }) => `0x${(head.number + 5_000).toString(16)}`,
  },
]

/** The answer of a liar. */
export function twisted(variant: number, method: string, result: unknown, view: View): unknown {
  const { methods, twist } = lies[variant % lies.length]!
  return methods.test(method) && result !== null ? twist(result as never, view) : result
}
