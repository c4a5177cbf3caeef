import type { CID } from 'multiformats/cid'
import { unlessAborted } from '../../abortable.ts'
import type { Clock } from '../../clock.ts'
import { IpfsError } from '../../error.ts'
import { isIdentity } from '../../unixfs/identity.ts'
import { checked } from './fetch-block.ts'
import { type CarShape, fetchCar } from './fetch-car.ts'
import { blame, type Gateway } from './gateway.ts'
import type { CarSection } from '../../unixfs/car-reader.ts'
import { blockLinksOf, createLinkStack, type LinkStack } from './link-stack.ts'

/** Blocks below a root that a gateway sends in one answer, as far as somebody waits for them. */
export interface IncomingCar {
  readonly isOver: boolean
  /** Whether any block may yet come. */
  readonly hasMore: boolean
  /** Whether this one may. */
  expects(cid: CID): boolean
  /**
   * A block, once it is kept; undefined: it does not come, and may be asked for alone.
   * @throws IpfsError where no gateway has the root, nor may have blocks: `not_found`, `timeout`, `mismatch`; `aborted`
   */
  reach(cid: CID, signal: AbortSignal): Promise<Uint8Array | undefined>
  /** Nobody wants its blocks any more. */
  leave(): void
  close(): void
}

/** What an archive needs of whoever asks for it. */
export interface IncomingCarOptions {
  /** Those that may have archives, in the order in which they are asked. */
  readonly gateways: readonly Gateway[]
  /** Whether there are others, which may have single blocks. */
  readonly hasOthers: boolean
  readonly fetch: typeof fetch
  readonly clock: Clock
  /** Longest time for one block, and in which nobody waits for any, in ms. */
  readonly timeoutMs: number
  /** Whether a block is here already. */
  readonly has: (cid: CID) => Promise<boolean>
  /** Resolves when a block is kept. */
  readonly keep: (cid: CID, bytes: Uint8Array) => Promise<Uint8Array>
}

/** A block that somebody waits for. */
interface Awaited {
  readonly cid: CID
  /** Whether there may be no more links to it. */
  isPassed: boolean
}

/** Blocks that are being written while the next ones come. */
const mostWrites = 8
/** Bytes in a row that nobody needed, and what a block costs beside its own. */
const mostUseless = 16 * 2 ** 20
const blockCost = 4096

/**
 * Asks for an archive when somebody waits for its root, and reads on only while somebody waits. Where a gateway has none,
 * the next is asked; where one breaks off, it is over. What is sent for nothing has a bound, as has the time for a block,
 * so neither a gateway nor content can keep it going for ever.
 */
export function openCar(root: CID, shape: CarShape, options: IncomingCarOptions): IncomingCar {
  const { clock, timeoutMs } = options
  const writes = new Set<Promise<unknown>>()
  const awaited = new Set<Awaited>()
  let links = linksTo(root)
  /** It is no link any more, and not yet kept. */
  let coming: CID | undefined
  let attempt = new AbortController()
  let pulling: Promise<(CarSection & { readonly kept: Promise<Uint8Array> }) | undefined> | undefined
  let refusal: IpfsError | undefined
  let useless = 0
  let isOver = false
  let stop = (): void => {}

  /** The link to a block that came, as its parent has it, and the walk behind it; undefined: there is none. */
  const passTo = ({ multihash }: CID): CID | undefined => {
    for (let link = links.pop(); link !== undefined; link = links.pop()) {
      for (const each of awaited) each.isPassed ||= each.cid.equals(link)
      if (Buffer.compare(link.multihash.bytes, multihash.bytes) === 0) return link
    }
    return undefined
  }

  const watch = (host: string | undefined): void => {
    stop()
    if (isOver) return
    stop = clock.after(timeoutMs, () => {
      if (host === undefined) return close()
      attempt.abort(new IpfsError('timeout', `${host} did not send a block below ${root} within ${timeoutMs} ms`))
    })
  }
  let asked = ''

  async function* sections(): AsyncGenerator<CarSection> {
    let mayHaveBlocks = options.hasOthers
    let reason: IpfsError | undefined
    for (const gateway of options.gateways) {
      ;[asked, links, attempt] = [gateway.host, linksTo(root), new AbortController()]
      watch(asked)
      let hasBegun = false
      try {
        for await (const { cid, bytes } of fetchCar(gateway, root, shape, { ...options, signal: attempt.signal })) {
          // It is within the block that links to it.
          if (isIdentity(cid)) continue
          coming = passTo(cid)
          if (coming === undefined) {
            throw new IpfsError('invalid_response', `${asked} sent block ${cid}, which nobody asked for`)
          }
          await checked(gateway, coming, bytes)
          links.push(coming, linksOrNone(coming, bytes))
          if (!hasBegun) gateway.failingUntil = -Infinity
          hasBegun = true
          yield { cid: coming, bytes }
        }
        if (hasBegun) return
        // So Kubo says that it has not even the root.
        mayHaveBlocks = true
      } catch (thrown) {
        if (isOver) return
        const error = asError(gateway, attempt.signal.aborted ? attempt.signal.reason : thrown, root)
        // Whoever asks for bytes that a file has not is refused without a fault.
        if (error.status !== 400 || shape.range === undefined) blame(gateway, error, clock.now())
        if (hasBegun) return
        if (!['not_found', 'timeout', 'mismatch'].includes(error.code)) mayHaveBlocks = true
        if (reason === undefined || error.code !== 'not_found') reason = error
      }
    }
    if (!mayHaveBlocks) refusal = reason
  }
  const incoming = sections()

  const next = async (): Promise<(CarSection & { readonly kept: Promise<Uint8Array> }) | undefined> => {
    if (writes.size === mostWrites) await Promise.race(writes)
    watch(asked)
    const { done, value } = await incoming.next()
    if (isOver || done === true) {
      coming = undefined
      close()
      return undefined
    }
    const { cid, bytes } = value
    const isHere = await options.has(cid)
    const kept = isHere ? Promise.resolve(bytes) : options.keep(cid, bytes)
    coming = undefined
    const write = kept.catch(() => {}).finally(() => writes.delete(write))
    writes.add(write)
    useless = isHere || shape.range !== undefined ? useless + bytes.length + blockCost : 0
    if (useless > mostUseless) close()
    else watch(undefined)
    return { cid, bytes, kept }
  }
  const pull = (): ReturnType<typeof next> => {
    pulling ??= next().finally(() => {
      pulling = undefined
      // Read to its end: the connection can serve the next call then.
      if (links.isEmpty && !isOver) void pull()
    })
    return pulling
  }

  const expects = (cid: CID): boolean => !isOver && (coming?.equals(cid) === true || links.includes(cid))

  /** Looks through the links only after one to it was passed: with each block that comes, it would take for ever. */
  const mayCome = (block: Awaited): boolean => {
    if (block.isPassed) block.isPassed = !expects(block.cid)
    return !isOver && !block.isPassed
  }

  function close(): void {
    if (isOver) return
    isOver = true
    stop()
    attempt.abort()
    incoming.return(undefined).catch(() => {})
  }

  return {
    get isOver() {
      return isOver
    },
    get hasMore() {
      return !isOver && !links.isEmpty
    },
    expects,
    async reach(cid, signal) {
      const mine: Awaited = { cid, isPassed: true }
      awaited.add(mine)
      try {
        while (mayCome(mine)) {
          const section = await unlessAborted(pull(), signal)
          if (section === undefined || !section.cid.equals(cid)) continue
          useless = 0
          return await unlessAborted(section.kept, signal)
        }
      } finally {
        awaited.delete(mine)
      }
      if (refusal !== undefined) throw refusal
      return undefined
    },
    leave() {
      if (!links.isEmpty) close()
    },
    close,
  }
}

function linksTo(root: CID): LinkStack {
  const links = createLinkStack()
  links.push(root, [root.bytes])
  return links
}

/** What is no block of its codec is no fault of the gateway: whoever reads it will say so. */
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
