import type { CID } from 'multiformats/cid'
import { unlessAborted } from '../../abortable.ts'
import type { Clock } from '../../clock.ts'
import { IpfsError } from '../../error.ts'
import type { CarSection } from '../../unixfs/car-reader.ts'
import { isIdentity } from '../../unixfs/identity.ts'
import { checked } from './fetch-block.ts'
import { type CarShape, fetchCar } from './fetch-car.ts'
import { blame, type Gateway } from './gateway.ts'
import { blockLinksOf, createLinkStack, type LinkStack } from './link-stack.ts'

/** The blocks below a root that a gateway sends in one answer, read as far as somebody waits for them. */
export interface IncomingCar {
  readonly isOver: boolean
  /** Whether any block may yet come. */
  readonly hasMore: boolean
  /** Whether this block may yet come. */
  expects(cid: CID): boolean
  /**
   * Waits for a block until it is kept; undefined: it does not come, and may be asked for alone.
   * @throws IpfsError `not_found`, `timeout`, `mismatch` where no gateway has the root or may have single blocks; `aborted`
   */
  reach(cid: CID, signal: AbortSignal): Promise<Uint8Array | undefined>
  /** Ends the archive, unless it was read to its end: its reader wants no more blocks. */
  leave(): void
  close(): void
}

/** Options of {@link openCar}. */
export interface IncomingCarOptions {
  /** The gateways that may have archives, in the order in which they are asked. */
  readonly gateways: readonly Gateway[]
  /** Whether there are other gateways, which may have single blocks. */
  readonly hasOthers: boolean
  readonly fetch: typeof fetch
  readonly clock: Clock
  /** Longest time for one block, and longest time in which nobody waits for a block, in ms. */
  readonly timeoutMs: number
  /** Whether a block is here already. */
  readonly has: (cid: CID) => Promise<boolean>
  /** Resolves when a block is kept. */
  readonly keep: (cid: CID, bytes: Uint8Array) => Promise<Uint8Array>
}

type KeptSection = CarSection & { readonly kept: Promise<Uint8Array> }

/** Blocks that are written while the next ones come. */
const mostWrites = 8
/** Most bytes in a row that nobody needed. */
const mostUselessBytes = 16 * 2 ** 20
/** Counted for each useless block beside its own bytes. */
const blockCost = 4096

/**
 * Asks for an archive when somebody waits for its root, and reads on only while somebody waits. Where a gateway has none,
 * the next is asked; where one breaks off, the archive is over. Useless bytes have a bound, as has the time for a block,
 * so neither a gateway nor content can keep it going for ever.
 */
export function openCar(root: CID, shape: CarShape, options: IncomingCarOptions): IncomingCar {
  const { clock, timeoutMs } = options
  const expected = createExpectedBlocks(root)
  const incoming = sections()
  const writes = new Set<Promise<unknown>>()
  /** The request to the gateway that is asked now. */
  let attempt = { host: '', controller: new AbortController() }
  /** The step that is under way, which all who wait share. */
  let pulling: Promise<KeptSection | undefined> | undefined
  let refusal: IpfsError | undefined
  let uselessBytes = 0
  let isOver = false
  let stopTimer = (): void => {}

  function startTimer(onTimeout: () => void): void {
    stopTimer()
    if (!isOver) stopTimer = clock.after(timeoutMs, onTimeout)
  }

  function limitGateway(): void {
    const { host, controller } = attempt
    startTimer(() =>
      controller.abort(new IpfsError('timeout', `${host} did not send a block below ${root} within ${timeoutMs} ms`)),
    )
  }

  /** Yields the blocks of one gateway's archive, each checked. */
  async function* sectionsOf(gateway: Gateway): AsyncGenerator<CarSection> {
    const { host } = gateway
    attempt = { host, controller: new AbortController() }
    expected.restart()
    limitGateway()
    const { signal } = attempt.controller
    for await (const { cid, bytes } of fetchCar(gateway, root, shape, { ...options, signal })) {
      // An identity block is a part of the block that links to it.
      if (isIdentity(cid)) continue
      const link = expected.arrive(cid)
      if (link === undefined) {
        throw new IpfsError('invalid_response', `${host} sent block ${cid}, which nobody asked for`)
      }
      await checked(gateway, link, bytes)
      expected.addLinks(link, bytes)
      yield { cid: link, bytes }
    }
  }

  /** Yields the blocks of the first gateway that sends any. Sets `refusal` where none does and none may have single blocks. */
  async function* sections(): AsyncGenerator<CarSection> {
    let mayHaveBlocks = options.hasOthers
    let reason: IpfsError | undefined
    for (const gateway of options.gateways) {
      let hasBegun = false
      try {
        for await (const section of sectionsOf(gateway)) {
          if (!hasBegun) gateway.failingUntil = -Infinity
          hasBegun = true
          yield section
        }
        if (hasBegun) return
        // With an empty archive, Kubo says that it does not even have the root.
        mayHaveBlocks = true
      } catch (thrown) {
        if (isOver) return
        const { signal } = attempt.controller
        const error = asError(gateway, signal.aborted ? signal.reason : thrown, root)
        // A gateway may refuse a range that the file does not have.
        if (error.status !== 400 || shape.range === undefined) blame(gateway, error, clock.now())
        if (hasBegun) return
        if (!['not_found', 'timeout', 'mismatch'].includes(error.code)) mayHaveBlocks = true
        if (reason === undefined || error.code !== 'not_found') reason = error
      }
    }
    if (!mayHaveBlocks) refusal = reason
  }

  /** Reads the next block, and begins to keep it. */
  async function next(): Promise<KeptSection | undefined> {
    if (writes.size === mostWrites) await Promise.race(writes)
    limitGateway()
    const { done, value } = await incoming.next()
    if (isOver || done === true) {
      expected.settle()
      close()
      return undefined
    }
    const { cid, bytes } = value
    const isHere = await options.has(cid)
    const kept = isHere ? Promise.resolve(bytes) : options.keep(cid, bytes)
    expected.settle()
    const write = kept.catch(() => {}).finally(() => writes.delete(write))
    writes.add(write)
    uselessBytes = isHere || shape.range !== undefined ? uselessBytes + bytes.length + blockCost : 0
    if (uselessBytes > mostUselessBytes) close()
    else startTimer(close)
    return { cid, bytes, kept }
  }

  function pull(): Promise<KeptSection | undefined> {
    pulling ??= next().finally(() => {
      pulling = undefined
      // Reads to the end of the answer, so that the connection can serve the next call.
      if (expected.isEmpty && !isOver) void pull()
    })
    return pulling
  }

  function close(): void {
    if (isOver) return
    isOver = true
    stopTimer()
    attempt.controller.abort()
    incoming.return(undefined).catch(() => {})
  }

  return {
    get isOver() {
      return isOver
    },
    get hasMore() {
      return !isOver && !expected.isEmpty
    },
    expects: (cid) => !isOver && expected.includes(cid),
    async reach(cid, signal) {
      const wait = expected.waitFor(cid)
      const mayCome = (): boolean => !isOver && wait.mayCome()
      try {
        while (mayCome()) {
          const section = await unlessAborted(pull(), signal)
          if (section === undefined || !section.cid.equals(cid)) continue
          uselessBytes = 0
          return await unlessAborted(section.kept, signal)
        }
      } finally {
        wait.end()
      }
      if (refusal !== undefined) throw refusal
      return undefined
    },
    leave() {
      if (!expected.isEmpty) close()
    },
    close,
  }
}

/** Follows the walk in whose order an archive comes, and so knows which blocks may yet come. */
interface ExpectedBlocks {
  /** Whether no link is left. */
  readonly isEmpty: boolean
  /** Starts again at the root, for the archive of another gateway. */
  restart(): void
  /** Walks to a block that came. Returns the link to it, as its parent has it; undefined: there is none. */
  arrive(cid: CID): CID | undefined
  /** Adds the links of a block that arrived. */
  addLinks(cid: CID, bytes: Uint8Array): void
  /** Tells that the block that arrived last is kept, or that there is none. */
  settle(): void
  includes(cid: CID): boolean
  /** Watches for the last link to a block, until `end`. */
  waitFor(cid: CID): { mayCome(): boolean; end(): void }
}

function createExpectedBlocks(root: CID): ExpectedBlocks {
  /** Blocks that somebody waits for. `isPassed`: there may be no more links to it. */
  const awaited = new Set<{ readonly cid: CID; isPassed: boolean }>()
  let links = linksTo(root)
  /** The block that came last: no link any more, and not yet kept. */
  let arrived: CID | undefined

  const includes = (cid: CID): boolean => arrived?.equals(cid) === true || links.includes(cid)

  const walkTo = ({ multihash }: CID): CID | undefined => {
    for (let link = links.pop(); link !== undefined; link = links.pop()) {
      for (const each of awaited) each.isPassed ||= each.cid.equals(link)
      if (Buffer.compare(link.multihash.bytes, multihash.bytes) === 0) return link
    }
    return undefined
  }

  return {
    get isEmpty() {
      return links.isEmpty
    },
    restart() {
      links = linksTo(root)
    },
    arrive: (cid) => (arrived = walkTo(cid)),
    addLinks: (cid, bytes) => links.push(cid, linksOrNone(cid, bytes)),
    settle() {
      arrived = undefined
    },
    includes,
    waitFor(cid) {
      const mine = { cid, isPassed: true }
      awaited.add(mine)
      return {
        mayCome() {
          // Looks through the links only after one was passed: with each block that comes, it would take for ever.
          if (mine.isPassed) mine.isPassed = !includes(cid)
          return !mine.isPassed
        },
        end: () => void awaited.delete(mine),
      }
    },
  }
}

function linksTo(root: CID): LinkStack {
  const links = createLinkStack()
  links.push(root, [root.bytes])
  return links
}

/** The links of a block. None where it is no block of its codec: that is not the gateway's fault, and its reader will say so. */
function linksOrNone(cid: CID, bytes: Uint8Array): readonly Uint8Array[] {
  try {
    return blockLinksOf(cid, bytes)
  } catch {
    return []
  }
}

function asError({ host }: Gateway, thrown: unknown, root: CID): IpfsError {
  if (thrown instanceof IpfsError) return thrown
  return new IpfsError('connect', `${host} could not be asked for ${root}, or broke off`, { cause: thrown })
}
