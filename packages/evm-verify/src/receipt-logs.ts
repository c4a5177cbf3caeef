import type { Log, Receipt } from '@wayleave/evm-types'
import { describeValue } from '@wayleave/jsonrpc-core/schema'
import { note, type Refusal, refuse, refuseOther, refuseUnder } from './refusal.ts'
import type { FieldLevel } from './verdict.ts'
import type { ReceiptsPass } from './receipts-pass.ts'

/** Members that the receipt's encoding covers. */
const contents: ReadonlySet<string> = new Set(['address', 'topics', 'data'])

/** Compares the place of each log with its receipt's, and its index with the earlier logs. */
export function judgeLogs(receipt: Receipt, pass: ReceiptsPass): Refusal | undefined {
  for (const [i, log] of receipt.logs.entries()) {
    const refusal = refuseLog(log, receipt, pass)
    if (refusal !== undefined) return refuseUnder(`logs.${i}`, refusal)
    for (const name of Object.keys(log)) note(pass.fields, `*.logs.*.${name}`, levelOf(name, log, pass))
    pass.logsBefore++
  }
  return undefined
}

function refuseLog(log: Log, receipt: Receipt, { logsBefore, block }: ReceiptsPass): Refusal | undefined {
  for (const name of places) {
    const refusal = refuseOther(name, log[name], receipt[name] ?? '')
    if (refusal !== undefined) return refusal
  }
  const refusal = refuseOther('logIndex', log.logIndex, `0x${logsBefore.toString(16)}`)
  if (refusal !== undefined) return refusal
  // No receipt holds a removed log.
  if ((log.removed ?? false) !== false)
    return refuse('removed', `removed: expected false, got ${describeValue(log.removed)}`)
  if (log.blockTimestamp == null || block === undefined) return undefined
  return refuseOther('blockTimestamp', log.blockTimestamp, block.timestamp)
}

const places = ['blockHash', 'blockNumber', 'transactionHash', 'transactionIndex'] as const

function levelOf(name: string, log: Log, { fields, level, isRooted, block }: ReceiptsPass): FieldLevel {
  if (contents.has(name)) return isRooted ? level : 'unverifiable'
  if ((places as readonly string[]).includes(name)) return fields[`*.${name}`] === 'proven' ? 'proven' : 'consistent'
  if (name === 'logIndex') return level
  if (name === 'removed' && log.removed != null) return 'consistent'
  return name === 'blockTimestamp' && log.blockTimestamp != null && block !== undefined ? level : 'unverifiable'
}
