import type { VerificationLevel } from '@wayleave/evm-verify'
import { logsIn, type View } from './answers.ts'
import { word } from './evm/bytes.ts'

type Json = Readonly<Record<string, unknown>>

/** Makes an answer of a method false. */
type Twist = (result: never, view: View, params: readonly unknown[]) => unknown

interface Lie {
  readonly name: string
  readonly methods: RegExp
  readonly twist: Twist
  /** The least verification that keeps it from subscribers: `off` where the header of its block shows it. Default: none is named. */
  readonly refusedBy?: VerificationLevel
}

const put =
  (members: Json): Twist =>
  (answer: Json) => ({ ...answer, ...members })
const first =
  (twist: Twist): Twist =>
  (list: readonly unknown[], view, params) =>
    list.map((each, i) => (i === 0 ? twist(each as never, view, params) : each))
const inTransactions =
  (twist: Twist): Twist =>
  (block: { readonly transactions: readonly unknown[] }, view, params) =>
    typeof block.transactions[0] === 'object'
      ? { ...block, transactions: first(twist)(block.transactions as never, view, params) }
      : block
const nothing: Twist = () => null
const nobody = `0x${'0'.repeat(40)}`

const block = /^eth_getBlockBy/
const transaction = /^eth_getTransactionBy/
const receipt = /^eth_getTransactionReceipt$/
const receipts = /^eth_getBlockReceipts$/
const logs = /^eth_getLogs$/
const pushedHead = /^eth_subscription newHeads$/
const noBloom = `0x${'0'.repeat(512)}`
const withoutFirst: Twist = (all: readonly unknown[]) => all.slice(1)
const withoutLast: Twist = (all: readonly unknown[]) => all.slice(0, -1)

/** The logs of the block before the one that is asked for by its hash; `claimed`: as if they were its own. */
const ofParent =
  (claimed: boolean): Twist =>
  (own: readonly unknown[], { byHash }, [filter]) => {
    const { blockHash } = Object(filter) as { readonly blockHash?: string }
    const asked = blockHash === undefined ? undefined : byHash(blockHash)
    if (asked?.parent === undefined) return own
    const place = { blockHash, blockNumber: asked.header['number'] }
    return logsIn(asked.parent).map((log) => (claimed ? { ...log, ...place } : log))
  }

/** The lies that liars tell; a fault's `variant` picks one, counted round. */
export const lies: readonly Lie[] = [
  { name: 'another value of a transaction', methods: transaction, twist: put({ value: '0x6' }) },
  { name: 'another sender', methods: transaction, twist: put({ from: nobody }) },
  { name: 'a receipt that failed', methods: receipt, twist: put({ status: '0x0' }) },
  { name: 'a receipt without logs', methods: receipt, twist: put({ logs: [], logsBloom: noBloom }) },
  { name: 'receipts without the last', methods: receipts, twist: withoutLast, refusedBy: 'consistent' },
  {
    name: 'receipts, the first failed',
    methods: receipts,
    twist: first(put({ status: '0x0' })),
    refusedBy: 'consistent',
  },
  { name: 'logs without the first', methods: logs, twist: withoutFirst, refusedBy: 'consistent' },
  { name: 'no logs', methods: logs, twist: () => [], refusedBy: 'off' },
  { name: 'logs of other data', methods: logs, twist: first(put({ data: word(8) })), refusedBy: 'proven' },
  {
    name: 'another hash of a block',
    methods: block,
    twist: put({ hash: `0x${'56'.repeat(32)}` }),
    refusedBy: 'consistent',
  },
  { name: 'another time of a block', methods: block, twist: put({ timestamp: '0x1' }), refusedBy: 'consistent' },
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
  { name: 'logs without the last', methods: logs, twist: withoutLast, refusedBy: 'proven' },
  { name: 'logs of the block before', methods: logs, twist: ofParent(false), refusedBy: 'off' },
  { name: 'logs of the block before as its own', methods: logs, twist: ofParent(true), refusedBy: 'consistent' },
  {
    name: 'another time of a pushed head',
    methods: pushedHead,
    twist: put({ timestamp: '0x1' }),
    refusedBy: 'consistent',
  },
  {
    name: 'no bloom in a pushed head',
    methods: pushedHead,
    twist: put({ logsBloom: noBloom }),
    refusedBy: 'consistent',
  },
]

const levels: readonly VerificationLevel[] = ['off', 'consistent', 'proven']

/** Whether verification of a level keeps the lie of a variant from subscribers. */
export function isRefusedBy(level: VerificationLevel, variant: number): boolean {
  const { refusedBy } = lies[variant % lies.length]!
  return refusedBy !== undefined && levels.indexOf(refusedBy) <= levels.indexOf(level)
}

/** The answer of a liar. */
export function twisted(
  variant: number,
  method: string,
  params: readonly unknown[],
  result: unknown,
  view: View,
): unknown {
  const { methods, twist } = lies[variant % lies.length]!
  return methods.test(method) && result !== null ? twist(result as never, view, params) : result
}
