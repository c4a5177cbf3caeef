import { isDeepStrictEqual } from 'node:util'
import type { Plan, Question } from '../plan.ts'
import { answerOf, type View } from './answers.ts'
import type { Chain } from './chain.ts'
import { ancestorAt, type Block } from './evm/block.ts'
import { hex } from './evm/bytes.ts'
import { chainId, type LabTransaction, transactionOf, witness } from './evm/transactions.ts'
import type { Sending } from './node.ts'
import type { VirtualClock } from './virtual-clock.ts'

/** The reason why a result is not the chain's. */
interface Falsehood {
  readonly why: string
  /** It belongs to another chain. */
  readonly isStrange: boolean
  /** Present where it was true once: how long before the span, in ms. */
  readonly staleMs?: number
}

/** The chain and the nodes as they really were. */
export interface Truth {
  /**
   * Why a result is not what the chain answers at any moment of a span of virtual ms; undefined: it is, or nothing can be said.
   * One that was true up to `graceMs` before the span counts as true.
   */
  judge(question: Question, result: unknown, from: number, to: number, graceMs?: number): Falsehood | undefined
  /** Each time that an upstream was given a transaction. */
  readonly sendings: readonly Sending[]
  /** Whether a transaction is on the chain at the end, or was at any time. */
  wasMined(hash: string): boolean
  /** The hash of a transaction in its network form; of bytes that are none, the bytes. */
  hashOf(raw: string): string
  /** The times of reorganisations so far, in virtual ms. */
  readonly reorgs: readonly number[]
}

/** Blocks before the run that a node may still have for its head. */
const oldHeads = 66

type HeadAt = Chain['heads'][number]

/** The heads before the first one of a run, as if their blocks had come in its pace. */
function before({ at, block }: HeadAt, blockMs: number): readonly HeadAt[] {
  return Array.from({ length: oldHeads }, (_, i) => {
    const back = oldHeads - i
    return { at: at - back * blockMs, block: ancestorAt(block, block.number - back)! }
  })
}

/** Methods of which the chain alone decides the answer. */
const notJudged = new Set([
  'web3_clientVersion',
  'eth_syncing',
  'eth_gasPrice',
  'eth_maxPriorityFeePerGas',
  'eth_estimateGas',
])
const elsewhere = hex(new TextEncoder().encode('elsewhere')).slice(2)
const usualGraceMs = 15_000

/** Creates the truth about a chain. */
export function createTruth(
  chain: Chain,
  sendings: readonly Sending[],
  { reorgs, blockMs, clock }: Pick<Plan, 'reorgs' | 'blockMs'> & { readonly clock: VirtualClock },
): Truth {
  const nobodys: ReadonlyMap<string, LabTransaction> = new Map()

  /** Transactions that some node was given up to a time. */
  function sentUntil(at: number): ReadonlyMap<string, LabTransaction> {
    const sent = sendings.filter((sending) => sending.at <= at)
    return new Map(sent.map(({ hash }) => [hash, transactionOf(hash)!]))
  }

  function viewOf(head: Block, pool: View['pool']): View {
    return {
      name: 'the chain',
      client: 'geth',
      chainId,
      head,
      oldestState: 0,
      oldestBlock: 0,
      maxRange: Number.POSITIVE_INFINITY,
      byHash: chain.byHash,
      find: (hash) => chain.find(hash, head),
      pool,
    }
  }

  function isTrueAt(head: Block, { method, params }: Question, result: unknown, pool: View['pool']): boolean {
    const answer = answerOf(viewOf(head, pool), method, params)
    return 'result' in answer && same(answer.result, result)
  }

  return {
    sendings,
    get reorgs() {
      return reorgs.filter(({ at }) => at <= clock.now()).map(({ at }) => at)
    },
    wasMined: (hash) => chain.everMined.has(hash),
    hashOf: (raw) => transactionOf(raw)?.hash ?? raw,
    judge(question, result, from, to, graceMs = usualGraceMs) {
      const { method } = question
      if (!isJudged(question)) return undefined
      const heads = [...before(chain.heads[0]!, blockMs), ...chain.heads]
      const pool = /Transaction/.test(method) ? sentUntil(to) : nobodys
      for (let i = heads.length - 1; i >= 0; i--) {
        const { at, block } = heads[i]!
        if (at > to) continue
        if (isTrueAt(block, question, result, pool) || (pool.size > 0 && isTrueAt(block, question, result, nobodys))) {
          const leftAt = heads[i + 1]?.at ?? Number.POSITIVE_INFINITY
          const staleMs = from - leftAt
          return staleMs <= graceMs
            ? undefined
            : { why: `it was true until ${staleMs} ms before it was asked`, isStrange: false, staleMs }
        }
      }
      const text = JSON.stringify(result) ?? 'undefined'
      const isStrange = text.includes(elsewhere) || method === 'eth_chainId' || method === 'net_version'
      return { why: `the chain never answered ${text.length > 200 ? `${text.slice(0, 200)}…` : text}`, isStrange }
    },
  }
}

function isJudged({ method, params }: Question): boolean {
  if (notJudged.has(method) || method.startsWith('eth_send') || /ubscri|ilter/.test(method)) return false
  return Object(params[0]).to !== witness
}

/** Compares values as JSON, whatever the order of their members. */
function same(one: unknown, other: unknown): boolean {
  return one === other || (typeof one === 'object' && typeof other === 'object' && isDeepStrictEqual(one, other))
}
