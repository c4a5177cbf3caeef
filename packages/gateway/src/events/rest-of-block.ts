import {
  type BlockLogs,
  type BlockLogsOptions,
  createBlockLogs,
  logCriteriaOf,
  matchesLog,
  type StreamBlock,
  streamBlockOf,
} from '@wayleave/evm-events'
import {
  type Clock,
  isStream,
  type RawJson,
  rawJsonFromValue,
  type RpcContext,
  RpcError,
  type RpcHandler,
} from '@wayleave/jsonrpc-core'
import type { EventPlace } from './event-id.ts'
import { readLog } from './event-printer.ts'
import type { LogQuery } from './event-query.ts'

/** The blocks of a network from which streams of events go on. */
export interface EventBlocks {
  /** Asks the upstreams. */
  readonly nodes: RpcHandler
  /** Reads the logs of a block as the streams do. */
  readonly logs: Pick<BlockLogs, 'read'>
}

/** The longest time in which the upstreams are asked again for a block, in ms: its reader waits, and comes back by itself. */
const patienceMs = 5_000

/** `checks`: the options under which the blocks of subscriptions are read. Default: logs are believed. */
export function createEventBlocks(
  nodes: RpcHandler,
  checks:
    | Partial<Pick<BlockLogsOptions, 'ask' | 'elsewhere' | 'verify' | 'hasCompleteBlooms' | 'hasTrueHeader'>>
    | undefined,
  clock: Clock,
): EventBlocks {
  return { nodes, logs: createBlockLogs({ ask: nodes, ...checks, clock, patienceMs }) }
}

/**
 * Reads the logs of a place's block that match and were not told; none where all of the block was told.
 * @throws RpcError `unavailable` where no node has them, or none whose answer verifies
 */
export async function readRestOfBlock(
  blocks: EventBlocks,
  place: EventPlace | undefined,
  filter: LogQuery,
  context: RpcContext,
): Promise<readonly RawJson[]> {
  if (place?.below === undefined) return []
  const { hash, below } = place
  const criteria = logCriteriaOf(filter)
  const block = await blockAt(blocks.nodes, hash, context)
  const { logs } = await blocks.logs.read(block, { logs: true }, context).catch((thrown: unknown) => {
    throw context.cancelled ?? unavailable(hash, thrown)
  })
  const matching = logs.flatMap((log) => (matchesLog(log, criteria) ? [{ raw: log.raw, index: indexOf(log.raw) }] : []))
  // The log that was told last, or taken back last, is among them: an answer without it is not that of a node that has the block.
  const isWhole = below === 0 || matching.some(({ index }) => index === below || index === below - 1)
  if (!isWhole) throw unavailable(hash)
  return matching.filter(({ index }) => index >= below).map(({ raw }) => raw)
}

async function blockAt(nodes: RpcHandler, hash: string, context: RpcContext): Promise<StreamBlock> {
  const params = rawJsonFromValue([hash, false])
  const { result, error } = await nodes({ method: 'eth_getBlockByHash', params, notification: false }, context)
  const block = error === undefined && !isStream(result) ? streamBlockOf(result) : undefined
  if (block?.hash !== hash) throw unavailable(hash)
  return block
}

function indexOf(log: RawJson): number {
  return readLog(log)?.index ?? -1
}

function unavailable(hash: string, cause?: unknown): RpcError {
  const message = `no upstream has the rest of block ${hash}: try again, or resume by fromBlock`
  return new RpcError('unavailable', message, { cause })
}
