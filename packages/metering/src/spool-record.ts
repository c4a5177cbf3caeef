import type { UsageRow } from './usage.ts'

/** Rows that a store takes in one transaction. */
export interface UsageBatch {
  /** The process that counted them; a new name with each start. */
  readonly process: string
  /** Counts the batches of a process from 1. A store ignores a batch of a process that is not after the last one it took. */
  readonly seq: number
  readonly rows: readonly UsageRow[]
}

/** Bytes before a record: its length and its CRC-32, both little-endian. */
export const recordHead = 8
/** Longest record, in bytes. */
export const longestRecord = 4_194_304

const encoder = new TextEncoder()
const decoder = new TextDecoder()

/** Prints a batch as a record of the spool. */
export function printRecord({ process, seq, rows }: UsageBatch): Uint8Array {
  const payload = encoder.encode(
    JSON.stringify([
      process,
      seq,
      rows.map((row) => [
        row.project,
        row.key,
        row.network,
        row.method,
        row.status,
        row.minute,
        row.calls,
        row.credits,
      ]),
    ]),
  )
  const record = new Uint8Array(recordHead + payload.length)
  const head = new DataView(record.buffer)
  head.setUint32(0, payload.length, true)
  head.setUint32(4, crc32(payload), true)
  record.set(payload, recordHead)
  return record
}

/** Reads the length of a record's payload from its head; undefined where none can begin. */
export function payloadLength(head: Uint8Array): number | undefined {
  if (head.length < recordHead) return undefined
  const length = new DataView(head.buffer, head.byteOffset).getUint32(0, true)
  return length > 0 && length <= longestRecord ? length : undefined
}

/** Reads a record; undefined if it is torn. */
export function readRecord(head: Uint8Array, payload: Uint8Array): UsageBatch | undefined {
  if (payload.length !== payloadLength(head)) return undefined
  if (new DataView(head.buffer, head.byteOffset).getUint32(4, true) !== crc32(payload)) return undefined
  const [process, seq, rows] = JSON.parse(decoder.decode(payload)) as [string, number, readonly PrintedRow[]]
  return {
    process,
    seq,
    rows: rows.map(([project, key, network, method, status, minute, calls, credits]) => ({
      project,
      key,
      network,
      method,
      status,
      minute,
      calls,
      credits,
    })),
  }
}

type PrintedRow = readonly [
  project: string,
  key: string,
  network: string,
  method: string,
  status: UsageRow['status'],
  minute: number,
  calls: number,
  credits: number,
]

const crcTable = Uint32Array.from({ length: 256 }, (_, n) => {
  let c = n
  for (let bit = 0; bit < 8; bit++) c = c & 1 ? (c >>> 1) ^ 0xedb88320 : c >>> 1
  return c >>> 0
})

/** Sums up the calls of rows. */
export function callsOf(rows: readonly UsageRow[]): number {
  return rows.reduce((sum, row) => sum + row.calls, 0)
}

/** Joins records to one write. */
export function joinRecords(parts: readonly Uint8Array[]): Uint8Array {
  const whole = new Uint8Array(parts.reduce((sum, { length }) => sum + length, 0))
  let at = 0
  for (const part of parts) {
    whole.set(part, at)
    at += part.length
  }
  return whole
}

/** CRC-32 (IEEE 802.3). */
function crc32(bytes: Uint8Array): number {
  let crc = 0xffffffff
  for (const byte of bytes) crc = (crc >>> 8) ^ crcTable[(crc ^ byte) & 0xff]!
  return (crc ^ 0xffffffff) >>> 0
}
