import { logCriteriaOf, matchesLog } from '@wayleave/evm-events'
import {
  cutParts,
  isStream,
  rawJsonFromValue,
  type RpcContext,
  RpcError,
  type RpcHandler,
} from '@wayleave/jsonrpc-core'
import type { EventPlace } from './event-id.ts'
import { readLog } from './event-printer.ts'
import type { LogQuery } from './event-query.ts'

/**
 * Reads the logs of a place's block that match and were not told, as JSON; none where all of the block was told.
 * @throws RpcError `unavailable` where no node has them
 */
export async function readRestOfBlock(
  nodes: RpcHandler,
  place: EventPlace | undefined,
  filter: LogQuery,
  context: RpcContext,
): Promise<readonly string[]> {
  if (place?.below === undefined) return []
  const { hash, below } = place
  const params = rawJsonFromValue([{ ...filter, blockHash: hash }])
  const { result, error } = await nodes({ method: 'eth_getLogs', params, notification: false }, context)
  const answer = error === undefined && !isStream(result) ? result : undefined
  const told = answer?.value()
  if (answer === undefined || !Array.isArray(told)) throw unavailable(hash)
  const criteria = logCriteriaOf(filter)
  const text = answer.text()
  const logs: { readonly json: string; readonly index: number }[] = []
  let isOfBlock = true
  cutParts(text, text.indexOf('['), (start, end) => {
    const json = text.slice(start, end)
    const log = readLog(json)
    if (log?.blockHash !== hash) isOfBlock = false
    else if (matchesLog(lowerCased(json), criteria)) logs.push({ json, index: log.index })
  })
  // The log that was told last, or taken back last, is among them: an answer without it is not that of a node that has the block.
  const isWhole = below === 0 || logs.some(({ index }) => index === below || index === below - 1)
  if (!isOfBlock || !isWhole) throw unavailable(hash)
  return logs.filter(({ index }) => index >= below).map(({ json }) => json)
}

function lowerCased(json: string): { readonly address: string; readonly topics: readonly string[] } {
  const { address, topics } = JSON.parse(json) as { readonly address?: unknown; readonly topics?: unknown }
  return {
    address: String(address).toLowerCase(),
    topics: Array.isArray(topics) ? topics.map((topic) => String(topic).toLowerCase()) : [],
  }
}

function unavailable(hash: string): RpcError {
  return new RpcError('unavailable', `no upstream has the rest of block ${hash}: try again, or resume by fromBlock`)
}
