import {
  type Clock,
  type RawJson,
  type RpcContext,
  RpcError,
  type RpcMeta,
  type RpcRequest,
  toRpcError,
} from '@wayleave/jsonrpc-core'
import { askOnce, backOffMs, noting, pause } from './ask-once.ts'
import type { StreamBlock } from './block.ts'
import { isEmptyBloom, parseBloom } from './bloom.ts'
import type { Ask } from './chain-source.ts'
import { createPatience } from './patience.ts'
import { detachedLog, readLogs, readReceipts, type StreamLog, type StreamReceipt } from './stream-log.ts'

/** An answer about a whole block: the array of its logs, or of its receipts. */
export interface BlockAnswer {
  readonly kind: 'logs' | 'receipts'
  readonly raw: RawJson
}

/** Marks a question so that it goes to another node than those whose answers, with these metas, were of no use; to one of them only where there is no other. */
export type Elsewhere = (request: RpcRequest, useless: readonly RpcMeta[]) => RpcRequest

/** Options of {@link createBlockLogs}. */
export interface BlockLogsOptions {
  /** Asked `eth_getLogs` by block hash, and `eth_getBlockReceipts`. It chooses the node: each question may go to another one. */
  readonly ask: Ask
  readonly clock: Clock
  /** Has a block be asked for elsewhere where an answer was of no use. Default: it may go to the same node again. */
  readonly elsewhere?: Elsewhere | undefined
  /** Rejects where an answer is not complete or not true: it is asked for again. With it, whole blocks are asked for. */
  readonly verify?: ((block: StreamBlock, answer: BlockAnswer, context: RpcContext) => Promise<void>) | undefined
  /** The longest time for one block, in ms. Default 30,000. */
  readonly patienceMs?: number
  /** Whether the bloom filters of headers cover all logs, so that an empty one proves that there are none. Default true. */
  readonly hasCompleteBlooms?: boolean
  /** Tells whether a header is that of the block with its hash; else it rules nothing out. Default: each one is believed. */
  readonly hasTrueHeader?: ((block: Pick<StreamBlock, 'hash' | 'header'>) => boolean) | undefined
  /** The most blocks whose logs are kept, and their bytes. Default 128 and 16 MiB. */
  readonly maxKeptBlocks?: number
  readonly maxKeptBytes?: number
}

/** The contents that are wanted of a block. */
export interface WantedContents {
  readonly receipts?: boolean
  readonly logs?: boolean
  /** Only logs of these addresses are wanted, though others may be given. Default: all. */
  readonly addresses?: readonly string[] | undefined
  /** Tells whether a block with this bloom filter can hold a log that is wanted. Default: where it is not empty. */
  readonly mayMatch?: (bloom: Uint8Array) => boolean
}

/** The logs and receipts of a block, in order; empty where they are not wanted. */
export interface BlockContents {
  readonly logs: readonly StreamLog[]
  readonly receipts: readonly StreamReceipt[]
}

/** Gives the contents of blocks. */
export interface BlockLogs {
  /**
   * Reads a block with one question, or none where its header rules out what is wanted. Asks again until a node gives it.
   * @throws RpcError `unavailable` past the patience; the reason of the context's cancellation
   */
  read(block: StreamBlock, wanted: WantedContents, context: RpcContext): Promise<BlockContents>
  /** Keeps logs of a block, as they may have to be told as removed; the oldest block goes first. */
  keep(blockHash: string, logs: readonly StreamLog[]): void
  /** Gives the logs that were kept of a block; undefined where they are gone. */
  kept(blockHash: string): readonly StreamLog[] | undefined
}

/** The most addresses that a node is asked for; above them it is asked for all logs. */
export const mostAddresses = 32

/** The root of no transactions. Source: keccak256(rlp('')), Yellow Paper, appendix D. */
const emptyRoot = '0x56e81f171bcc55a6ff8345e692c0f86e5b48e01b996cadc001622fb5e363b421'

/** Bytes that a log is counted with besides its text. */
const logOverhead = 512

/** The way to ask for a block. */
interface Plan {
  readonly block: StreamBlock
  readonly wantsReceipts: boolean
  /** Whether the block holds logs, by its header. */
  readonly hasLogs: boolean
  readonly hasTransactions: boolean
  addresses: readonly string[] | undefined
}

/** Creates the reader of blocks. */
export function createBlockLogs(options: BlockLogsOptions): BlockLogs {
  const { ask, clock, verify, patienceMs = 30_000, hasCompleteBlooms = true, hasTrueHeader } = options
  const { maxKeptBlocks = 128, maxKeptBytes = 16 * 1_048_576 } = options
  const kept = new Map<string, { readonly logs: readonly StreamLog[]; readonly bytes: number }>()
  let keptBytes = 0

  /** Undefined: the header rules out what is wanted. */
  function planOf(block: StreamBlock, wanted: WantedContents): Plan | undefined {
    const { logsBloom, transactionsRoot } = Object(block.header.value()) as {
      logsBloom?: unknown
      transactionsRoot?: unknown
    }
    const isBelieved = hasCompleteBlooms && (hasTrueHeader === undefined || hasTrueHeader(block))
    const bloom = isBelieved ? parseBloom(logsBloom) : undefined
    const mayHold = bloom === undefined || (wanted.mayMatch?.(bloom) ?? !isEmptyBloom(bloom))
    const wantsLogs = wanted.logs === true && mayHold
    const hasTransactions = isBelieved && transactionsRoot !== emptyRoot
    const wantsReceipts = wanted.receipts === true && (hasTransactions || !isBelieved)
    if (!wantsLogs && !wantsReceipts) return undefined
    const hasLogs = bloom !== undefined && !isEmptyBloom(bloom)
    const addresses = verify === undefined ? wanted.addresses : undefined
    return { block, wantsReceipts, hasLogs, hasTransactions, addresses }
  }

  /** Asks for the contents elsewhere than at nodes whose answers were of no use. */
  function elsewhere(useless: readonly RpcMeta[]): Ask {
    return (request, context) => ask(options.elsewhere?.(request, useless) ?? request, context)
  }

  async function attempt(
    plan: Plan,
    byReceipts: boolean,
    node: Ask,
    context: RpcContext,
  ): Promise<BlockContents | undefined> {
    const { block, addresses } = plan
    const { hash } = block
    if (!byReceipts) {
      const query = addresses === undefined ? { blockHash: hash } : { blockHash: hash, address: addresses }
      const raw = await askOnce(node, 'eth_getLogs', [query], context)
      const logs = readLogs(raw, hash)
      if (logs.length === 0 && plan.hasLogs) {
        // Some nodes give no logs for a block that they do not have. The whole block has some.
        if (addresses === undefined) throw contradiction(block)
        plan.addresses = undefined
        return undefined
      }
      await verify?.(block, { kind: 'logs', raw }, context)
      return { logs, receipts: [] }
    }
    const raw = await askOnce(node, 'eth_getBlockReceipts', [hash], context)
    const contents = readReceipts(raw, hash)
    const isShort = plan.hasTransactions && contents.receipts.length === 0
    if (isShort || (plan.hasLogs && contents.logs.length === 0)) throw contradiction(block)
    await verify?.(block, { kind: 'receipts', raw }, context)
    return plan.wantsReceipts ? contents : { logs: contents.logs, receipts: [] }
  }

  return {
    async read(block, wanted, context) {
      const plan = planOf(block, wanted)
      if (plan === undefined) return { logs: [], receipts: [] }
      const patience = createPatience(patienceMs, clock)
      /** The metas of answers that were of no use. */
      const useless: RpcMeta[] = []
      for (let failures = 0; ;) {
        const { context: own, release } = context.fork({ deadline: patience.attempt() })
        let why: RpcError
        let meta: RpcMeta | undefined
        const node = noting(useless.length === 0 ? ask : elsewhere(useless), (answer) => (meta = answer.meta))
        try {
          // Receipts hold the logs, too, where a node refuses the other question: for their number, or as it cannot answer it.
          const contents = await attempt(plan, plan.wantsReceipts || failures % 2 === 1, node, own)
          if (contents !== undefined) return contents
          continue
        } catch (thrown) {
          why = toRpcError(thrown, 'invalid_response', 'the answer was not verified')
          if (meta !== undefined) useless.push(meta)
        } finally {
          release()
        }
        if (context.cancelled !== undefined) throw context.cancelled
        const waitMs = backOffMs(++failures + 1)
        if (clock.now() + waitMs >= context.deadline || !patience.mayWait(waitMs)) {
          const what = plan.wantsReceipts ? 'receipts' : 'logs'
          throw new RpcError('unavailable', `no node has the ${what}`, { cause: why })
        }
        await pause(waitMs, clock, context)
        if (context.cancelled !== undefined) throw context.cancelled
      }
    },
    keep(blockHash, logs) {
      const own = logs.map(detachedLog)
      const bytes = own.reduce((sum, { raw }) => sum + 2 * raw.byteLength + logOverhead, logOverhead)
      keptBytes += bytes - (kept.get(blockHash)?.bytes ?? 0)
      kept.delete(blockHash)
      kept.set(blockHash, { logs: own, bytes })
      for (const [oldest, { bytes: freed }] of kept) {
        if (kept.size <= maxKeptBlocks && keptBytes <= maxKeptBytes) break
        kept.delete(oldest)
        keptBytes -= freed
      }
    },
    kept: (blockHash) => kept.get(blockHash)?.logs,
  }
}

function contradiction({ number, hash }: StreamBlock): RpcError {
  return new RpcError('invalid_response', `expected the contents of block ${number} (${hash}) by its header, got none`)
}
