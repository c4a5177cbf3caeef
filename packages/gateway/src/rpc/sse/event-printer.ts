import { type EventPlace, printEventId } from './event-id.ts'

/** Prints the events of one stream, each with the id from which the stream goes on behind it. */
export interface EventPrinter {
  /** The id of the place up to which all was printed; undefined while none is known. */
  readonly id: string | undefined
  /** Prints an event from its JSON; empty where its reader has no use for it. */
  print(json: string): string
  /** Takes the block up to which all was told; prints what had to wait for it. */
  reached(hash: string, height: number): string
}

/** Creates the printer of heads. `place`: the last head that was told. */
export function createHeadPrinter(place: EventPlace | undefined): EventPrinter {
  let id = place?.hash
  return {
    get id() {
      return id
    },
    print(json) {
      const { hash } = JSON.parse(json) as { readonly hash?: unknown }
      if (typeof hash === 'string') id = hash.toLowerCase()
      return printEvent('newHeads', id, json)
    },
    reached(hash) {
      id = hash
      return ''
    },
  }
}

/** The start of a stream of logs. */
export interface LogStart {
  readonly place: EventPlace | undefined
  /** The first block to tell, where no place was told. */
  readonly fromBlock: number | undefined
  /** The logs of the place's block that were not told, as JSON. */
  readonly rest: readonly string[]
}

/** The members of a log that say where it is. */
interface LogPlace {
  readonly blockHash: string
  readonly index: number
  readonly height: number
  readonly isRemoved: boolean
}

/**
 * Creates the printer of logs. A stream that goes on in the middle of a block is one of its last block's hash: either it takes that block
 * back first, and then only the part that was told is printed; or the rest of the block is printed before anything else.
 */
export function createLogPrinter({ place, fromBlock, rest }: LogStart): EventPrinter {
  let hash = place?.hash
  let below = place?.below
  /** The lowest height of which logs were told: what is below it cannot be taken back. */
  let from = place?.from ?? fromBlock ?? Number.POSITIVE_INFINITY
  let part = below === undefined ? undefined : { hash: hash!, below, isTakenBack: false }

  function idOf(): string | undefined {
    return hash === undefined ? undefined : printEventId({ hash, below, from })
  }

  function pass(json: string, log: LogPlace): string {
    const { blockHash, index, height, isRemoved } = log
    if (isRemoved) {
      if (height < from || (part !== undefined && index >= part.below)) return ''
    } else from = Math.min(from, height)
    hash = blockHash
    below = isRemoved ? index : index + 1
    return printEvent('logs', idOf(), json)
  }

  function endPart(): string {
    const isWhole = part === undefined || part.isTakenBack
    part = undefined
    return isWhole ? '' : rest.map((json) => pass(json, readLog(json)!)).join('')
  }

  return {
    get id() {
      return idOf()
    },
    print(json) {
      const log = readLog(json)
      if (log === undefined) return printEvent('logs', undefined, json)
      if (part !== undefined && log.isRemoved && log.blockHash === part.hash) {
        part.isTakenBack = true
        return pass(json, log)
      }
      return endPart() + pass(json, log)
    },
    reached(at, height) {
      const printed = endPart()
      hash = at
      below = undefined
      if (from === Number.POSITIVE_INFINITY) from = height + 1
      return printed
    },
  }
}

/** Reads where a log is; undefined where it does not say so. */
export function readLog(json: string): LogPlace | undefined {
  const { blockHash, logIndex, blockNumber, removed } = JSON.parse(json) as Record<string, unknown>
  const [index, height] = [Number(logIndex), Number(blockNumber)]
  if (typeof blockHash !== 'string' || !Number.isSafeInteger(index) || !Number.isSafeInteger(height)) return undefined
  return { blockHash: blockHash.toLowerCase(), index, height, isRemoved: removed === true }
}

/** Prints an event. Each line of its data has a field of its own (HTML, server-sent events). */
export function printEvent(type: string, id: string | undefined, data: string): string {
  const lines = /[\r\n]/.test(data) ? data.split(/\r\n|\r|\n/).join('\ndata: ') : data
  return `event: ${type}\n${id === undefined ? '' : `id: ${id}\n`}data: ${lines}\n\n`
}
