import {
  type Clock,
  type RawJson,
  rawJsonFromChunks,
  rawJsonFromText,
  type RpcContext,
  RpcError,
  type RpcHandler,
  toRpcError,
} from '@wayleave/jsonrpc-core'
import { askOnce, backOffMs, pause } from './ask-once.ts'
import { type StreamBlock, streamBlockOf } from './block.ts'
import { type ChainPath, createChainPaths } from './chain-path.ts'
import type { BlockPosition } from './chain-source.ts'
import { createLogArray, type LogArray, withoutBrackets } from './log-array.ts'
import { createFilterLogs, type FilterLogsOptions } from './filter-logs.ts'
import { heightsOf } from './filter-params.ts'
import { createPlaceFinder, type Place, type PlaceFinder } from './filter-place.ts'
import { failureOf, fewerBlocks } from './log-failures.ts'
import { logCriteriaOf } from './log-filter.ts'
import { wholeRange } from './get-logs.ts'
import { ReplacedError } from './log-segments.ts'
import { lastBlockTo } from './last-block-to.ts'
import { hex } from './quantity.ts'

/** Gives the head for a call; undefined where none is known. */
export type HeadFor = (context: RpcContext) => BlockPosition | undefined | Promise<BlockPosition | undefined>

export interface FilterChangesOptions extends Partial<Pick<FilterLogsOptions, 'elsewhere'>> {
  /** Asks nodes; `eth_getLogs` takes any range. */
  readonly ask: RpcHandler
  readonly clock: Clock
  readonly headOf: HeadFor
  readonly maxReorg: number
  /** The most blocks that one poll of logs, and one of hashes, covers. */
  readonly maxBlocks: number
  readonly maxHashes: number
  /** Names those who may be told the same blocks. Default: all may. */
  readonly shareOf?: ((context: RpcContext) => string) | undefined
  /** Whether the bloom filters of headers cover all logs. Default true. */
  readonly hasCompleteBlooms?: boolean | undefined
}

/** The changes after a cursor, and the cursor after them. */
interface FilterChanges {
  readonly result: RawJson
  readonly cursor: BlockPosition
}

/** Reads what has changed since a cursor from the chain. */
export interface FilterReader {
  /** The head as it is. @throws RpcError `unavailable` where none is known */
  head(context: RpcContext): Promise<BlockPosition>
  readonly placeOf: PlaceFinder['placeOf']
  logs(criteria: object, cursor: BlockPosition, context: RpcContext): Promise<FilterChanges>
  hashes(cursor: BlockPosition, context: RpcContext): Promise<FilterChanges>
}

/** An answer that has begun. */
interface TakenBack {
  readonly array: LogArray
  readonly chunks: Uint8Array[]
  /** The place from which the next poll takes back further blocks, where these are enough for one; undefined: all are taken back. */
  readonly rest: BlockPosition | undefined
}

/** How often changes are read anew because a reorg came in between, or nodes are behind. */
const mostTries = 4
/** New blocks whose logs are read one by one, by hash, which no reorg can mix up. */
const mostByHash = 4
/** Bytes of logs after which such a poll tells what it has. */
const enoughBytes = 8 * 1_048_576
/** Blocks that nodes may fall back without that a place above them is in doubt. */
const fewBack = 8
/** New blocks whose hashes are found one by one, by their parents; more are asked for side by side. */
const mostLinked = 8

export function createFilterReader(options: FilterChangesOptions): FilterReader {
  const { ask, clock, headOf, maxReorg, maxBlocks, maxHashes } = options
  const { shareOf = () => '', hasCompleteBlooms = true } = options
  const paths = createChainPaths({ ask, clock, shareOf, maxReorg })
  const places = createPlaceFinder({ ask, clock, paths, head, maxReorg })
  const filterLogs = createFilterLogs({ ask, clock, shareOf, hasCompleteBlooms, elsewhere: options.elsewhere })

  async function blockAt(place: string, context: RpcContext): Promise<StreamBlock | undefined> {
    return streamBlockOf(await askOnce(ask, 'eth_getBlockByNumber', [place, false], context))
  }

  async function head(context: RpcContext): Promise<BlockPosition> {
    const known = await headOf(context)
    if (known !== undefined) return { number: known.number, hash: known.hash.toLowerCase() }
    const block = await blockAt('latest', context)
    if (block === undefined) throw new RpcError('unavailable', 'expected the latest block, got none')
    return { number: block.number, hash: block.hash }
  }

  /** Gives the last block up to a height, or the first one above it where none was made between that and the ancestor. */
  async function nextUpTo(
    height: number,
    ancestor: BlockPosition,
    highest: number,
    context: RpcContext,
  ): Promise<StreamBlock | undefined> {
    for (let number = height; ; number++) {
      const block = await lastBlockTo(ask, number, () => highest, context)
      if (block === undefined || block.number > ancestor.number || number >= highest) return block
    }
  }

  /** The head; undefined where it tells nothing new: nothing is told as removed before its replacement is there. @throws LostCursorError */
  async function headBeyond(cursor: BlockPosition, context: RpcContext): Promise<BlockPosition | undefined> {
    const known = await head(context)
    if (known.hash === cursor.hash) return undefined
    if (known.number >= cursor.number) return known
    // Nodes that are behind have the block a few blocks later, or one of them has it.
    if (cursor.number - known.number > fewBack) await places.expect(cursor, context)
    return undefined
  }

  async function isOn(at: BlockPosition, context: RpcContext): Promise<boolean> {
    return (await blockAt(hex(at.number), context))?.hash === at.hash
  }

  /** The changes up to a head; none where it is not above the cursor. */
  async function changes(
    cursor: BlockPosition,
    mostNear: number,
    context: RpcContext,
    near: (path: ChainPath) => Promise<FilterChanges | undefined>,
    far: () => Promise<FilterChanges>,
  ): Promise<FilterChanges> {
    const known = await headBeyond(cursor, context)
    if (known === undefined) return { result: rawJsonFromText('[]'), cursor }
    const path = await paths.between(cursor, known, mostNear, context)
    return (path && (await near(path))) ?? far()
  }

  /** Reads by `read` until the chain was the same before and after. */
  async function steady(
    cursor: BlockPosition,
    most: number,
    context: RpcContext,
    read: (place: Place, to: StreamBlock) => Promise<FilterChanges>,
  ): Promise<FilterChanges> {
    let blocks = most
    for (let tries = 1; ;) {
      const known = await headBeyond(cursor, context)
      if (known === undefined) return { result: rawJsonFromText('[]'), cursor }
      const place = await places.placeOf(cursor, context)
      const number = Math.min(known.number, place.ancestor.number + blocks)
      const to = await nextUpTo(number, place.ancestor, known.number, context)
      try {
        if (to !== undefined) {
          const reported = await read(place, to)
          // The place of a poll that could not take back all is no block of the chain.
          if (place.removed.some(({ hash }) => hash === reported.cursor.hash)) return reported
          if ((await isOn(place.ancestor, context)) && (await isOn(reported.cursor, context))) return reported
        }
      } catch (thrown) {
        const why = toRpcError(thrown, 'unavailable', 'the changes could not be read')
        if (why instanceof ReplacedError && tries++ < mostTries) continue
        const asked = Math.min(blocks, number - place.ancestor.number)
        const fewer = fewerBlocks(why.rpc === undefined ? why : failureOf(why.rpc), asked)
        if (fewer === undefined || fewer.of === 'doubt') throw why
        blocks = fewer.blocks
        continue
      }
      const waitMs = backOffMs(++tries)
      if (tries > mostTries || clock.now() + waitMs >= context.deadline) {
        const why =
          to === undefined ? 'no node has the blocks of the filter yet' : 'the chain is replaced again and again'
        throw new RpcError('unavailable', why)
      }
      await pause(waitMs, clock, context)
      if (context.cancelled !== undefined) throw context.cancelled
    }
  }

  /** Begins an answer with the logs of replaced blocks, last log first. */
  async function takeBack(criteria: object, removed: Place['removed'], context: RpcContext): Promise<TakenBack> {
    const wanted = logCriteriaOf(criteria)
    const range = heightsOf(criteria)
    const array = createLogArray()
    const chunks: Uint8Array[] = []
    let bytes = 0
    for (const block of removed) {
      if (bytes > enoughBytes) return { array, chunks, rest: { number: block.number, hash: block.hash } }
      if (block.number < range.from || block.number > range.to) continue
      const logs = await filterLogs.of(block, wanted, context)
      bytes += addTo(
        chunks,
        array,
        logs.toReversed().map((log) => log.removed().text()),
      )
    }
    return { array, chunks, rest: undefined }
  }

  return {
    head,
    placeOf: places.placeOf,
    logs: (criteria, cursor, context) => {
      const near = (path: ChainPath): Promise<FilterChanges | undefined> => nearLogs(criteria, path, context)
      const far = (): Promise<FilterChanges> => farLogs(criteria, cursor, context)
      return changes(cursor, Math.min(maxBlocks, mostByHash), context, near, far)
    },
    hashes: (cursor, context) => {
      const near = async ({ ancestor, added }: ChainPath): Promise<FilterChanges | undefined> =>
        added.length > maxHashes ? undefined : hashesOf(added, ancestor)
      const far = (): Promise<FilterChanges> => farHashes(cursor, context)
      return changes(cursor, Math.min(maxHashes, mostLinked), context, near, far)
    },
  }

  /** Asks for the logs of each new block. */
  async function nearLogs(criteria: object, path: ChainPath, context: RpcContext): Promise<FilterChanges | undefined> {
    if (path.added.length > Math.min(maxBlocks, mostByHash)) return undefined
    const { array, chunks, rest } = await takeBack(criteria, path.removed, context)
    if (rest !== undefined) return { result: rawJsonFromChunks([...chunks, ...array.end()]), cursor: rest }
    const wanted = logCriteriaOf(criteria)
    const range = heightsOf(criteria)
    let cursor = path.ancestor
    let bytes = 0
    for (const block of path.added) {
      if (bytes > enoughBytes) break
      cursor = { number: block.number, hash: block.hash }
      if (block.number < range.from || block.number > range.to) continue
      const logs = await filterLogs.of(block, wanted, context)
      bytes += addTo(
        chunks,
        array,
        logs.map(({ raw }) => raw.text()),
      )
    }
    return { result: rawJsonFromChunks([...chunks, ...array.end()]), cursor }
  }

  /** Asks for the logs of a range. */
  function farLogs(criteria: object, cursor: BlockPosition, context: RpcContext): Promise<FilterChanges> {
    return steady(cursor, maxBlocks, context, async (place, to) => {
      const { array, chunks, rest } = await takeBack(criteria, place.removed, context)
      if (rest !== undefined) return { result: rawJsonFromChunks([...chunks, ...array.end()]), cursor: rest }
      const range = heightsOf(criteria)
      const from = Math.max(place.ancestor.number + 1, range.from)
      const last = Math.min(to.number, range.to)
      if (from <= last) {
        const query = { ...withoutRange(criteria), fromBlock: hex(from), toBlock: hex(last) }
        const ends = {
          ...(from === place.ancestor.number + 1 && { parentHash: place.ancestor.hash }),
          ...(last === to.number && { toHash: to.hash }),
        }
        const whole: RpcHandler = (request, own) => ask(wholeRange.on(request, ends), own)
        chunks.push(...array.add(withoutBrackets(await askOnce(whole, 'eth_getLogs', [query], context))))
      }
      return { result: rawJsonFromChunks([...chunks, ...array.end()]), cursor: { number: to.number, hash: to.hash } }
    })
  }

  function hashesOf(reported: readonly StreamBlock[], ancestor: BlockPosition): FilterChanges {
    const { number, hash } = reported.at(-1) ?? ancestor
    const hashes = reported.map((block) => block.hash)
    return { result: rawJsonFromText(JSON.stringify(hashes), hashes), cursor: { number, hash } }
  }

  function farHashes(cursor: BlockPosition, context: RpcContext): Promise<FilterChanges> {
    return steady(cursor, maxHashes, context, async ({ ancestor }, to) =>
      hashesOf(await paths.after(ancestor, to, context), ancestor),
    )
  }
}

/** The filter as it holds for any block. */
function withoutRange(criteria: object): object {
  const { address, topics } = criteria as { readonly address?: unknown; readonly topics?: unknown }
  return { ...(address === undefined ? {} : { address }), ...(topics === undefined ? {} : { topics }) }
}

/** Adds logs to an array; gives their length. */
function addTo(chunks: Uint8Array[], array: LogArray, logs: readonly string[]): number {
  if (logs.length === 0) return 0
  const inner = encoder.encode(logs.join(','))
  chunks.push(...array.add([inner]))
  return inner.byteLength
}

const encoder = new TextEncoder()
