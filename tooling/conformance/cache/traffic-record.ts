import { readFileSync } from 'node:fs'

interface Log {
  readonly blockHash: string
  readonly blockNumber: string
}

/** Calls that stock clients made, and the chain that they saw. */
export interface TrafficRecord {
  readonly chainId: number
  /** The hash of each block, from block 0 on. */
  readonly hashes: readonly string[]
  /** When each block after `firstHead` was made, in ms since the record began. */
  readonly firstHead: number
  readonly minedAt: readonly number[]
  readonly questions: readonly {
    readonly method: string
    readonly params: readonly unknown[]
    readonly result?: unknown
  }[]
  readonly logs: readonly Log[]
  /** The client, the time in ms since the record began, and the question, by its place. */
  readonly calls: readonly (readonly [client: string, ms: number, question: number])[]
}

/** Reads the record beside this file: a member of it a line. */
export function readTraffic(): TrafficRecord {
  const text = readFileSync(new URL('traffic.jsonl', import.meta.url), 'utf8')
  return Object.assign(
    {},
    ...text
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as object),
  ) as TrafficRecord
}
