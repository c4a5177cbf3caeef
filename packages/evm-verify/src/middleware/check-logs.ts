import {
  type BlockNumberOrTag,
  type Hash,
  type Log,
  type LogFilter,
  logFilterSchema,
  logSchema,
  type Quantity,
  type Receipt,
} from '@wayleave/evm-types'
import { type RawJson, RpcError } from '@wayleave/jsonrpc-core'
import { array } from '@wayleave/jsonrpc-core/schema'
import { VerifyError } from '../error.ts'
import { logsOf, mayHoldLogs } from '../logs-complete.ts'
import { refuseOther } from '../refusal.ts'
import { askedBlock } from './asked.ts'
import type { Check, Checks } from './call.ts'
import type { Evidence, KnownHeader } from './evidence.ts'
import { type Finding, malformed, nothingThere, unproven } from './finding.ts'
import type { Judge } from './judge.ts'
import { refuseUnlike } from '../refuse-unlike.ts'
import { reportOf, verifyLogs } from '../verify-logs.ts'

const logsSchema = array(logSchema)

const checkLogs: Check = async ({ ask, askHeld, params, evidence, provesLogs, maxLogBlocks, judge, judgeText }) => {
  const isFilter = logFilterSchema.check(params[0], '') === undefined
  const filter: LogFilter = isFilter ? (params[0] as LogFilter) : {}
  if (evidence === undefined || !isFilter) return consistent(await askHeld(), filter, judgeText)
  if (!provesLogs)
    throw unproven("that no log is missing takes the receipts of each block: ask for them with logs: 'receipts'")
  const blocks = await blocksOf(filter, evidence, maxLogBlocks)
  const { anchor } = blocks[0]!
  const answer = await ask('eth_getLogs', [pinned(filter, blocks)])
  if (answer === undefined) return nothingThere
  // Some nodes say null where there are none.
  const reported = answer ?? []
  const form = malformed(logsSchema, reported)
  if (form !== undefined) return { ...form, anchor }
  const claimed = reported as readonly Log[]
  const all = await logsIn(blocks, filter, evidence, judge)
  // For a place where any topic matches, geth demands that the log has one; other nodes do not.
  const wanted = filter.topics?.length ?? 0
  const without = all.filter(({ topics }) => topics.length >= wanted)
  const must = claimed.length === without.length ? without : all
  const fields = claimed.length === 0 ? { '': 'proven' as const } : reportOf(claimed, provable, 'proven')
  // Some nodes leave these two out.
  const absent = ['blockTimestamp', 'removed'].filter((name) => !Object.hasOwn(fields, `*.${name}`))
  const refusal = refuseUnlike(claimed, must, {
    ...fields,
    ...Object.fromEntries(absent.map((name) => [`*.${name}`, 'unverifiable'] as const)),
  })
  if (refusal === undefined) return { verdict: { ok: true, level: 'proven', fields }, anchor }
  await assertUnmoved(filter, blocks, evidence)
  const reason = claimed.length === must.length ? refusal.reason : `expected ${must.length} logs, got ${claimed.length}`
  return { verdict: { ...refusal, reason }, anchor }
}

/** Checks of the methods that answer logs. Source: execution-apis. */
export const logChecks: Checks = {
  eth_getLogs: checkLogs,
}

const provable: readonly (keyof Log)[] = [
  'address',
  'topics',
  'data',
  'blockNumber',
  'transactionHash',
  'transactionIndex',
  'blockHash',
  'logIndex',
  'removed',
  'blockTimestamp',
]

/** Holds logs against the filter, long ones elsewhere. */
async function consistent(
  held: RawJson | undefined,
  filter: LogFilter,
  judgeText: Judge['judgeText'],
): Promise<Finding> {
  if (held === undefined) return nothingThere
  const elsewhere = judgeText(held, filter)
  if (elsewhere !== undefined) return { verdict: await elsewhere, anchor: 'none', isRead: true }
  const answer = held.value()
  return answer === null ? nothingThere : { verdict: verifyLogs(answer, filter), anchor: 'none' }
}

/** The blocks that a filter names, in order. @throws VerifyError */
async function blocksOf(
  { blockHash, fromBlock, toBlock }: LogFilter,
  evidence: Evidence,
  maxBlocks: number | undefined,
): Promise<KnownHeader[]> {
  if (blockHash !== undefined) return [await evidence.block(blockHash)]
  const last = await evidence.block(toBlock)
  const isOne = (fromBlock ?? 'latest') === (toBlock ?? 'latest')
  const first = isOne ? last.header.number! : await heightOf(fromBlock, evidence)
  if (BigInt(first) > BigInt(last.header.number!)) throw unproven('the range ends before it begins')
  const count = BigInt(last.header.number!) - BigInt(first) + 1n
  if (maxBlocks !== undefined && count > BigInt(maxBlocks)) throw rangeTooLong(count, maxBlocks)
  return (await evidence.lineage(last, BigInt(first))).toReversed()
}

/** The refusal of a range that is longer than what is proven at once. */
function rangeTooLong(count: bigint, most: number): RpcError {
  const message = `range ${count} exceeds limit of ${most} blocks whose logs are proven at once: ask for fewer`
  return new RpcError('denied', message, { delivery: 'not_sent', httpStatus: 200, rpc: { code: -32602, message } })
}

async function heightOf(block: BlockNumberOrTag | undefined, evidence: Evidence): Promise<Quantity> {
  const { number, tag } = askedBlock(block)
  if (tag === 'earliest') return '0x0'
  return number ?? (await evidence.block(tag)).header.number!
}

/** The filter with its block by hash if it is one block, else with numbers. */
function pinned(filter: LogFilter, blocks: readonly KnownHeader[]): LogFilter {
  const { fromBlock: _from, toBlock: _to, ...rest } = filter
  const last = blocks.at(-1)!
  if (blocks.length === 1) return { ...rest, blockHash: last.hash }
  return { ...rest, fromBlock: blocks[0]!.header.number!, toBlock: last.header.number! } as LogFilter
}

/** All matching logs of the blocks, taken from proven blocks and receipts alone. @throws VerifyError */
async function logsIn(
  blocks: readonly KnownHeader[],
  filter: LogFilter,
  evidence: Evidence,
  judge: Judge['judge'],
): Promise<Log[]> {
  const logs: Log[] = []
  for (const { hash, header } of blocks) {
    if (!mayHoldLogs(header.logsBloom!, filter)) continue
    for (const log of logsOf([{ logs: await logsOfBlock(hash, evidence, judge) }], filter)) logs.push(log)
  }
  return logs
}

async function logsOfBlock(hash: Hash, evidence: Evidence, judge: Judge['judge']): Promise<Log[]> {
  const [block, receipts] = await Promise.all([evidence.contents(hash), evidence.fetch('eth_getBlockReceipts', [hash])])
  const verdict = await judge({ check: 'receipts', answer: receipts, expected: { block } })
  if (verdict.ok === undefined) throw unproven(verdict.reason)
  if (!verdict.ok) throw new VerifyError('mismatch', verdict.field, `eth_getBlockReceipts: ${verdict.reason}`)
  const own = { removed: false, blockTimestamp: block.timestamp }
  return (receipts as readonly Receipt[]).flatMap(({ logs }) =>
    logs.map((log) => ({ ...Object.fromEntries(provable.map((name) => [name, log[name]])), ...own }) as unknown as Log),
  )
}

/** Asserts that a reorganisation did not cause the difference. @throws VerifyError `unproven` */
async function assertUnmoved(filter: LogFilter, blocks: readonly KnownHeader[], evidence: Evidence): Promise<void> {
  if (blocks.length === 1 || filter.blockHash !== undefined) return
  const { hash, header } = blocks.at(-1)!
  const now = (await evidence.fetch('eth_getBlockByNumber', [header.number, false])) as { readonly hash?: unknown }
  if (refuseOther('hash', now.hash, hash) !== undefined) throw unproven(`block ${header.number} was replaced meanwhile`)
}
