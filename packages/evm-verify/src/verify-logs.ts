import { type BlockNumberOrTag, type Log, type LogFilter, logSchema } from '@wayleave/evm-types'
import { array } from '@wayleave/jsonrpc-core/schema'
import { VerifyError } from './error.ts'
import { matchesFilter } from './logs-complete.ts'
import { assertOneReading } from './one-reading.ts'
import { type Refusal, refuse, refuseOther, refuseUnder } from './refusal.ts'
import type { FieldLevel, FieldReport, Verdict } from './verdict.ts'

const logsSchema = array(logSchema)

/** Compares logs with the filter that was asked for: each matches, in order. It cannot tell whether one is missing. Any value gets a verdict. */
export function verifyLogs(answer: unknown, filter: LogFilter): Verdict {
  const issue = logsSchema.check(answer, '')
  if (issue !== undefined) {
    const path = issue.path.replace(/^\./, '')
    return refuse(path, `${path === '' ? 'the logs' : path}: expected ${issue.expected}, got ${issue.received}`)
  }
  const logs = answer as readonly Log[]
  const place = placeOf(filter)
  const fields = reportOf(logs, [...Object.keys(place), 'removed'], 'consistent')
  for (const [i, log] of logs.entries()) {
    const refusal = refuseLog(log, logs[i - 1], filter) ?? refusePlace(log, place)
    if (refusal !== undefined) return refuseUnder(i, refusal)
  }
  return { ok: true, level: 'consistent', fields }
}

/** The members that a filter fixes for every log. */
function placeOf({ blockHash, fromBlock, toBlock, address }: LogFilter): Partial<Log> {
  const isOne = fromBlock === toBlock && fromBlock?.startsWith('0x') === true
  const only = typeof address === 'string' ? address : address?.length === 1 ? address[0] : undefined
  return {
    ...(blockHash !== undefined && { blockHash }),
    ...(isOne && { blockNumber: fromBlock as `0x${string}` }),
    ...(only !== undefined && { address: only }),
  }
}

function refusePlace(log: Log, place: Partial<Log>): Refusal | undefined {
  for (const [name, value] of Object.entries(place)) {
    const refusal = refuseOther(name, log[name as keyof Log], value as string)
    if (refusal !== undefined) return refusal
  }
  return undefined
}

function refuseLog(log: Log, before: Log | undefined, filter: LogFilter): Refusal | undefined {
  if (!matchesFilter(log, filter)) return refuse('', 'a log that the filter does not name')
  if (log.removed !== undefined && log.removed !== false) return refuse('removed', 'removed: expected false')
  const number = numberOf(log.blockNumber)
  const [from, to] = [filter.fromBlock, filter.toBlock].map(numberOf)
  if (number === undefined) return undefined
  if ((from !== undefined && number < from) || (to !== undefined && number > to)) {
    return refuse('blockNumber', `blockNumber: ${log.blockNumber} is not in the range that was asked for`)
  }
  const last = before && numberOf(before.blockNumber)
  const isLater = last === undefined || number > last || (number === last && isAfter(log, before!))
  return isLater ? undefined : refuse('logIndex', 'logIndex: the logs are not in the order of the chain')
}

function isAfter(log: Log, before: Log): boolean {
  return log.logIndex == null || before.logIndex == null || BigInt(log.logIndex) > BigInt(before.logIndex)
}

function numberOf(block: BlockNumberOrTag | null | undefined): bigint | undefined {
  return block?.startsWith('0x') === true ? BigInt(block) : undefined
}

/** {@link verifyLogs} of a text, which every JSON parser has to read alike. Any text gets a verdict. */
export function verifyLogText(text: string, filter: LogFilter): Verdict {
  let answer: unknown
  try {
    answer = JSON.parse(text)
    assertOneReading(text, answer)
  } catch (thrown) {
    if (thrown instanceof VerifyError) return refuse(thrown.field, thrown.message)
    return refuse('', 'the logs: expected JSON')
  }
  return verifyLogs(answer, filter)
}

/** Gives the named members of logs a level, and calls the others unverifiable. */
export function reportOf(logs: readonly Log[], names: readonly string[], level: FieldLevel): FieldReport {
  const fields: Record<string, FieldLevel> = {}
  for (const log of logs) {
    for (const name of Object.keys(log)) fields[`*.${name}`] = names.includes(name) ? level : 'unverifiable'
  }
  return fields
}
