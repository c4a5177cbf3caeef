import { type Header, type Log, logSchema, type Receipt } from '@wayleave/evm-types'
import { array } from '@wayleave/jsonrpc-core/schema'
import { VerifyError } from './error.ts'
import { logsBloom } from './logs-bloom.ts'
import { type Refusal, refuse, refuseOther, refuseUnder } from './refusal.ts'
import { refuseUnlike } from './refuse-unlike.ts'
import type { FieldLevel, FieldReport, Verdict } from './verdict.ts'
import { verifyReceipts } from './verify-receipts.ts'

/** The block that logs must agree with, and its receipts. */
export interface ExpectedBlockLogs {
  /** The header of the block: `hash`, `number`, `logsBloom` and `receiptsRoot` are read. It is believed: verify it first. */
  readonly header: Pick<Header, 'hash' | 'number' | 'logsBloom' | 'receiptsRoot'>
  /** All receipts of the block, as a node gives them. Default: only the bloom filter tells of logs that are missing. */
  readonly receipts?: unknown
}

const logsSchema = array(logSchema)
/** Members that the root of the receipts covers, or the header. */
const covered = new Set(['address', 'topics', 'data', 'logIndex', 'transactionIndex', 'blockHash', 'blockNumber'])
/** Members that the header alone fixes. */
const placed = new Set(['logIndex', 'blockHash', 'blockNumber'])

/**
 * Compares a node's logs of a whole block with its header: their order from the first to the last, and their bloom filter. With
 * receipts that have the header's root, they must be exactly the logs of these. Without, a log is missed only where it is among the
 * last, and others have its address and topics. Undefined: the receipts are of a type that is not known. Any value gets a verdict.
 */
export function verifyBlockLogs(logs: unknown, { header, receipts }: ExpectedBlockLogs): Verdict {
  const issue = logsSchema.check(logs, '')
  if (issue !== undefined) {
    const path = issue.path.replace(/^\./, '')
    return refuse(path, `${path === '' ? 'the logs' : path}: expected ${issue.expected}, got ${issue.received}`)
  }
  try {
    return judge(logs as readonly Log[], header, receipts)
  } catch (thrown) {
    if (thrown instanceof VerifyError) return refuse(thrown.field, thrown.message)
    throw thrown
  }
}

function judge(logs: readonly Log[], header: ExpectedBlockLogs['header'], receipts: unknown): Verdict {
  for (const [i, log] of logs.entries()) {
    const refusal = refusePlace(log, i, header)
    if (refusal !== undefined) return refuseUnder(i, refusal)
  }
  const other = refuseOther('logsBloom', logsBloom(logs), header.logsBloom!)
  if (other !== undefined) return refuse('', 'the logs do not have the bloom filter of their block')
  if (receipts === undefined) return { ok: true, level: 'consistent', fields: reportOf(logs, 'consistent') }
  const { receiptsRoot, hash: blockHash, number: blockNumber } = header
  const verdict = verifyReceipts(receipts, { receiptsRoot, blockHash: blockHash!, blockNumber: blockNumber! })
  if (verdict.ok === undefined) return verdict
  if (!verdict.ok) return refuse('receipts', `eth_getBlockReceipts: ${verdict.reason}`)
  const must = (receipts as readonly Receipt[]).flatMap((receipt) => receipt.logs)
  if (must.length !== logs.length) return refuse('', `expected ${must.length} logs, got ${logs.length}`)
  const fields = reportOf(logs, 'proven')
  // Receipts may leave these two out, and some nodes' logs do.
  const compared = { ...fields, '*.removed': 'unverifiable', '*.blockTimestamp': 'unverifiable' } as const
  return refuseUnlike(logs, must, compared) ?? { ok: true, level: 'proven', fields }
}

function refusePlace(log: Log, i: number, { hash, number }: ExpectedBlockLogs['header']): Refusal | undefined {
  if ((log.removed ?? false) !== false) return refuse('removed', 'removed: expected false')
  return (
    refuseOther('blockHash', log.blockHash, hash!) ??
    refuseOther('blockNumber', log.blockNumber, number!) ??
    refuseOther('logIndex', log.logIndex, `0x${i.toString(16)}`)
  )
}

function reportOf(logs: readonly Log[], level: 'proven' | 'consistent'): FieldReport {
  const levelOf = (name: string): FieldLevel => {
    if (name === 'removed') return 'consistent'
    if (level === 'consistent') return placed.has(name) ? level : 'unverifiable'
    return covered.has(name) ? level : name === 'transactionHash' ? 'consistent' : 'unverifiable'
  }
  const names = new Set(logs.flatMap((log) => Object.keys(log)))
  return Object.fromEntries(Array.from(names, (name) => [`*.${name}`, levelOf(name)]))
}
