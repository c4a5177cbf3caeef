import type { Question } from '../plan.ts'
import type { Draw } from './draw.ts'

/** Draws a read. `transactions`: those that callers have sent so far. */
export function drawQuestion(draw: Draw, transactions: number): Question {
  const [method, paramsOf] = draw.of(questions)
  return { method, params: paramsOf(draw, transactions) }
}

const depths = [0, 0, 1, 2, 3, 8, 20, 64]
const number = (draw: Draw): string => `$number:head-${draw.of(depths)}`
const hash = (draw: Draw): string => `$hash:head-${draw.of(depths)}`
const block = (draw: Draw): string => draw.of(['latest', 'latest', number(draw)])
const account = (draw: Draw): string => `$account:${draw.between(0, 3)}`
const transaction = (draw: Draw, transactions: number): string =>
  transactions > 0 && draw.chance(0.5) ? `$tx:${draw.between(0, transactions - 1)}` : `$mined:${draw.of([0, 1, 5, 20])}`

type Entry = readonly [method: string, paramsOf: (draw: Draw, transactions: number) => readonly unknown[]]

/** The questions of callers, the usual ones more often. */
const questions: readonly Entry[] = [
  ['eth_blockNumber', () => []],
  ['eth_blockNumber', () => []],
  ['eth_chainId', () => []],
  ['eth_getBlockByNumber', (draw) => [block(draw), false]],
  ['eth_getBlockByNumber', (draw) => ['latest', draw.chance(0.5)]],
  ['eth_getBlockByHash', (draw) => [hash(draw), draw.chance(0.3)]],
  ['eth_getBlockReceipts', (draw) => [number(draw)]],
  ['eth_getTransactionByHash', (draw, transactions) => [transaction(draw, transactions)]],
  ['eth_getTransactionReceipt', (draw, transactions) => [transaction(draw, transactions)]],
  ['eth_getTransactionReceipt', (draw, transactions) => [transaction(draw, transactions)]],
  [
    'eth_getLogs',
    (draw) => {
      const from = draw.of([2, 4, 8])
      return [{ fromBlock: `$number:head-${from}`, toBlock: `$number:head-${draw.of([0, 1, 2])}` }]
    },
  ],
  ['eth_getLogs', (draw) => [{ blockHash: hash(draw) }]],
  ['eth_getBalance', (draw) => [account(draw), block(draw)]],
  ['eth_getTransactionCount', (draw) => [account(draw), draw.of(['latest', 'pending'])]],
  ['eth_call', (draw) => [{ to: '$contract', data: '0x20965255' }, block(draw)]],
  ['eth_call', () => [{ to: '$contract', data: '0x20965255' }, 'latest']],
]
