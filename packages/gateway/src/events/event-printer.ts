import type { RawJson } from '@wayleave/jsonrpc-core'
import { type EventPlace, printEventId } from './event-id.ts'

/** Prints the events of one stream, each with the id from which the stream goes on behind it. */
export interface EventPrinter {
  /** The id of the place up to which all was printed; undefined while none is known. */
  readonly id: string | undefined
  /** Prints an event; empty where its reader has no use for it. */
  print(event: RawJson): string
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
    print(event) {
      const { hash, data } = readEvent(event)
      id = hash ?? id
      return `${headOf('newHeads', id)}${data}`
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
  /** The logs of the place's block that were not told. */
  readonly rest: readonly RawJson[]
}

/** The place of a log in the chain. */
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

  function pass(log: LogPlace, data: string): string {
    const { blockHash, index, height, isRemoved } = log
    if (isRemoved) {
      if (height < from || (part !== undefined && index >= part.below)) return ''
    } else from = Math.min(from, height)
    hash = blockHash
    below = isRemoved ? index : index + 1
    return `${headOf('logs', idOf())}${data}`
  }

  function endPart(): string {
    const isWhole = part === undefined || part.isTakenBack
    part = undefined
    return isWhole ? '' : rest.map((log) => pass(readLog(log)!, readEvent(log).data)).join('')
  }

  return {
    get id() {
      return idOf()
    },
    print(event) {
      const { log, data } = readEvent(event)
      if (log === undefined) return `${headOf('logs', undefined)}${data}`
      if (part !== undefined && log.isRemoved && log.blockHash === part.hash) {
        part.isTakenBack = true
        return pass(log, data)
      }
      return endPart() + pass(log, data)
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

/** The parts of an event that are the same for all its readers. */
interface SharedEvent {
  /** The hash of a head, in lower case. */
  readonly hash: string | undefined
  readonly log: LogPlace | undefined
  /** Its data as printed, and the end of the event. */
  readonly data: string
}

/** Events that were read, for all readers to come. */
const sharedEvents = new WeakMap<RawJson, SharedEvent>()

function readEvent(event: RawJson): SharedEvent {
  let shared = sharedEvents.get(event)
  if (shared === undefined) {
    const json = event.text()
    const { hash, ...log } = Object(JSON.parse(json)) as Readonly<Record<string, unknown>>
    shared = {
      hash: typeof hash === 'string' ? hash.toLowerCase() : undefined,
      log: placeOf(log),
      data: printData(json),
    }
    sharedEvents.set(event, shared)
  }
  return shared
}

/** Reads where a log is; undefined where it does not say so. */
export function readLog(log: RawJson): LogPlace | undefined {
  return readEvent(log).log
}

function placeOf({
  blockHash,
  logIndex,
  blockNumber,
  removed,
}: Readonly<Record<string, unknown>>): LogPlace | undefined {
  const [index, height] = [Number(logIndex), Number(blockNumber)]
  if (typeof blockHash !== 'string' || !Number.isSafeInteger(index) || !Number.isSafeInteger(height)) return undefined
  return { blockHash: blockHash.toLowerCase(), index, height, isRemoved: removed === true }
}

/** Prints an event. */
export function printEvent(type: string, id: string | undefined, data: string): string {
  return `${headOf(type, id)}${printData(data)}`
}

function headOf(type: string, id: string | undefined): string {
  return id === undefined ? `event: ${type}\n` : `event: ${type}\nid: ${id}\n`
}

/** Each line of the data has a field of its own (HTML, server-sent events). */
function printData(data: string): string {
  const lines = /[\r\n]/.test(data) ? data.split(/\r\n|\r|\n/).join('\ndata: ') : data
  return `data: ${lines}\n\n`
}
