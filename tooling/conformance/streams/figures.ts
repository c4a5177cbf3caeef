import { askNode } from '../two-nodes/nodes/ask-node.ts'
import type { StreamChain } from './chain/stream-chain.ts'
import type { Reported, ReportedLog } from './clients/stream-client.ts'

/** Events of one kind, held against the chain. */
export interface Tally {
  readonly seen: number
  readonly missed: number
  /** Told more than once. */
  readonly doubled: number
  /** Told after a later one, or not of the chain at all. */
  readonly misplaced: number
}

/** A client over a run. Times in ms. */
export interface Figures {
  readonly client: string
  /** Undefined where it follows logs alone. */
  readonly heads: Tally | undefined
  readonly logs: Tally
  /** The longest time without a head. */
  readonly quietMs: number
  /** Counts of failures, by the client's own words. */
  readonly failures: Readonly<Record<string, number>>
}

/** The chain from one block to another: their logs, as {@link logKey} names them. */
export interface Truth {
  readonly from: number
  readonly to: number
  readonly logs: readonly string[]
}

export interface Recorder {
  readonly reported: Reported
  /** Begins the time in which heads are missed. */
  begin(): void
  /** Ends it. */
  end(): void
  /** The last head that it was told. */
  readonly head: () => number
  /** Holds all that it wrote down against the chain. */
  figures(client: string, truth: Truth, options?: { readonly hasHeads?: boolean }): Figures
}

/** Most different words of failures that are kept. */
const mostFailures = 50

const logKey = ({ block, index }: Pick<ReportedLog, 'block' | 'index'>): string => `${block}:${index}`

/** Writes down what a client is told. */
export function createRecorder(now: () => number): Recorder {
  const heads: number[] = []
  const logs: ReportedLog[] = []
  const failures = new Map<string, number>()
  let lastAt = now()
  let quietMs = 0
  let isOver = false
  let hasOrder = true
  const spend = (): void => {
    quietMs = Math.max(quietMs, now() - lastAt)
    lastAt = now()
  }
  return {
    reported: {
      head(number, isOrdered = true) {
        if (!isOver) spend()
        hasOrder &&= isOrdered
        heads.push(number)
      },
      log: (log) => void logs.push(log),
      failed(words) {
        // Trace ids and object ids would make each failure another one.
        const why = words.replaceAll(/\b[\da-f]{32}(?:\.\d+)*|0x[\da-f]{12,16}\b/g, '…')
        if (failures.has(why) || failures.size < mostFailures) failures.set(why, (failures.get(why) ?? 0) + 1)
      },
    },
    begin() {
      lastAt = now()
      quietMs = 0
    },
    end() {
      spend()
      isOver = true
    },
    head: () => heads.reduce((most, each) => Math.max(most, each), 0),
    figures: (client, { from, to, logs: wantedLogs }, { hasHeads = true } = {}) => ({
      client,
      heads: hasHeads
        ? tallyOf(
            Array.from({ length: to - from + 1 }, (_, i) => from + i),
            (hasOrder ? heads : sorted(heads)).filter((number) => number >= from && number <= to),
            (number) => number,
          )
        : undefined,
      logs: tallyOf(
        wantedLogs,
        logs
          .filter(({ block }) => block >= from && block <= to)
          .map((log) => (log.removed ? `${logKey(log)}:removed` : logKey(log))),
        (key) => Number(key.split(':', 1)[0]),
      ),
      quietMs,
      failures: Object.fromEntries(failures),
    }),
  }
}

const sorted = (numbers: readonly number[]): readonly number[] => numbers.toSorted((a, b) => a - b)

/** Counts what of `told` differs from `wanted`; `placeOf` tells the order. */
export function tallyOf<T>(wanted: readonly T[], reported: readonly T[], placeOf: (event: T) => number): Tally {
  const isWanted = new Set(wanted)
  const seen = new Set<T>()
  let [doubled, misplaced, last] = [0, 0, Number.NEGATIVE_INFINITY]
  for (const event of reported) {
    if (seen.has(event)) doubled++
    else if (!isWanted.has(event) || placeOf(event) < last) misplaced++
    seen.add(event)
    last = Math.max(last, placeOf(event))
  }
  const met = wanted.filter((event) => seen.has(event)).length
  return { seen: reported.length, missed: wanted.length - met, doubled, misplaced }
}

/** Reads the chain from a node that is well. */
export async function readTruth({ nodes, filter }: StreamChain, from: number, to: number): Promise<Truth> {
  const hex = (number: number): string => `0x${number.toString(16)}`
  const asked = { ...filter, fromBlock: hex(from), toBlock: hex(to) }
  const [node] = nodes
  const found = await askNode<readonly { readonly blockNumber: string; readonly logIndex: string }[]>(
    node!.url,
    'eth_getLogs',
    [asked],
    { timeoutMs: 10_000 },
  )
  const logs = found.map(({ blockNumber, logIndex }) => logKey({ block: Number(blockNumber), index: Number(logIndex) }))
  return { from, to, logs }
}
