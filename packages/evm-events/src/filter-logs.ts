import type { Clock, RpcContext, RpcHandler } from '@wayleave/jsonrpc-core'
import type { StreamBlock } from './block.ts'
import { type BlockLogs, createBlockLogs, type Elsewhere } from './block-logs.ts'
import { bloomBits, hasBits, isEmptyBloom, parseBloom } from './bloom.ts'
import { type LogCriteria, matchesLog } from './log-filter.ts'
import type { StreamLog } from './stream-log.ts'

export interface FilterLogsOptions {
  readonly ask: RpcHandler
  readonly clock: Clock
  /** Names those who may be told the same blocks. */
  readonly shareOf: (context: RpcContext) => string
  /** Whether the bloom filters of headers cover all logs. */
  readonly hasCompleteBlooms: boolean
  /** Has a block be asked for elsewhere where an answer was of no use. */
  readonly elsewhere: Elsewhere | undefined
}

/** Reads logs of blocks by hash, each block whole and once for all filters of a share. */
export interface FilterLogs {
  /** Gives those that match, in order. @throws RpcError `unavailable` where no node gives what the header says is there */
  of(block: StreamBlock, criteria: LogCriteria, context: RpcContext): Promise<readonly StreamLog[]>
}

/** The longest time for one block, in ms. */
const patienceMs = 10_000

export function createFilterLogs({ shareOf, ...options }: FilterLogsOptions): FilterLogs {
  /** By share: the host's configuration names them. */
  const readers = new Map<string, BlockLogs>()

  function readerOf(share: string): BlockLogs {
    let reader = readers.get(share)
    if (reader === undefined) {
      reader = createBlockLogs({ ...options, patienceMs })
      readers.set(share, reader)
    }
    return reader
  }

  return {
    async of(block, criteria, context) {
      const reader = readerOf(shareOf(context))
      let logs = reader.kept(block.hash)
      if (logs === undefined) {
        if (options.hasCompleteBlooms && !mayHold(block, criteria)) return []
        logs = (await reader.read(block, { logs: true }, context)).logs
        reader.keep(block.hash, logs)
      }
      return logs.filter((log) => matchesLog(log, criteria))
    },
  }
}

/** Tells whether a block can hold a log that matches, by the bloom filter of its header. */
function mayHold({ header }: StreamBlock, { addresses, topics }: LogCriteria): boolean {
  const { logsBloom } = Object(header.value()) as { readonly logsBloom?: unknown }
  const bloom = parseBloom(logsBloom)
  if (bloom === undefined) return true
  const mayHoldAny = (values: ReadonlySet<string>): boolean =>
    values.size === 0 || [...values].some((value) => hasBits(bloom, bloomBits(value)))
  return !isEmptyBloom(bloom) && [addresses, ...topics].every(mayHoldAny)
}
