import type { CommandIo } from '../command.ts'
import { printResult } from '../output/print-result.ts'
import { isoOf } from './moments.ts'

/** Prints one record: JSON as it is, else a line for each of its members, with times for people. */
export function printRecord(record: object, json: boolean, io: CommandIo): void {
  const text = JSON.stringify(record, json ? undefined : readableTime)
  io.stdout(printResult('', text, { json, stream: io.process.stdout }))
}

function readableTime(name: string, value: unknown): unknown {
  return typeof value === 'number' && /(?:At|^at)$/.test(name) ? (isoOf(value) ?? value) : value
}
