import {
  type Clock,
  createContext,
  rawJsonFromText,
  rawJsonFromValue,
  type RpcContext,
  RpcError,
  type RpcHandler,
  type RpcSubscription,
  toRpcError,
} from '@wayleave/jsonrpc-core'
import { attemptMs, untilCancelled } from './ask-once.ts'
import type { FiltersOptions } from './filters.ts'

/** Says to the processes that share filters which transactions are read. */
export interface PendingReaders {
  /** Tells the others that the transactions of a name are read here, for a caller of a tenant. */
  use(name: string, tenant: string): void
  /** Whether any process has read them in the last 15 minutes. */
  isUsed(name: string): boolean
  /** Resolves when the others know what is read here, or cannot be reached. */
  settled?(): Promise<unknown>
  /** Calls `listener` with the transactions that another process reads, and at once with those that are known. */
  watch(listener: (name: string, tenant: string) => void): () => void
}

/** Options of {@link createPendingTransactions}. */
export interface PendingTransactionsOptions {
  /** Opens subscriptions of nodes. It chooses the node. */
  readonly ask: RpcHandler
  readonly clock: Clock
  /** Makes an id that nobody else has. */
  readonly newId: () => string
  /** Names those who may be told the same. Default: all may. */
  readonly shareOf?: (context: Pick<RpcContext, 'tenant'>) => string
  /** The most that is kept of hashes, and of whole transactions, for those who share them, in bytes; the oldest go first. Default 4 MiB. */
  readonly maxBytes?: number
  /** The processes that share the filters: each keeps what any of them reads, so that the next question may go to any. Default: this one is alone. */
  readonly readers?: PendingReaders | undefined
}

/** Transactions that nodes push, for filters. */
export interface PendingTransactions {
  /** @throws RpcError `rpc` with the refusal of the nodes, or as the handler rejects */
  readonly changes: NonNullable<FiltersOptions['pending']>
  /** Ends all subscriptions. */
  close(): void
}

/** Time for which a transaction is kept, and after the last question a subscription, in ms. */
const idleMs = 900_000
/** Bytes that a transaction is counted with besides its text. */
const overhead = 64

interface Item {
  readonly text: string
  /** Wall-clock time in ms at which it came. */
  readonly at: number
}

/** The transactions of one subscription. */
interface Ring {
  /** By number, without a gap; the oldest first. */
  readonly items: Map<number, Item>
  readonly id: string
  /** The number of the next one. */
  next: number
  bytes: number
  opened: Promise<void> | undefined
  leave: () => void
  readAt: number
  stopWatching: () => void
}

/**
 * Keeps what `newPendingTransactions` of a node tells while somebody asks for it. It is not gapless: a subscription that ends is opened
 * anew with the next question, and what does not fit is dropped. A place outlives this process by its time.
 */
export function createPendingTransactions(options: PendingTransactionsOptions): PendingTransactions {
  const { ask, clock, newId, shareOf = () => '', maxBytes = 4 * 1_048_576, readers } = options
  const rings = new Map<string, Ring>()

  function ringOf(name: string): Ring {
    const known = rings.get(name)
    if (known !== undefined) return known
    const ring: Ring = {
      items: new Map(),
      id: newId(),
      next: 0,
      bytes: 0,
      opened: undefined,
      leave() {},
      readAt: clock.now(),
      stopWatching() {},
    }
    const watch = (): void => {
      if (readers?.isUsed(name) === true) ring.readAt = clock.now()
      const leftMs = ring.readAt + idleMs - clock.now()
      if (leftMs > 0) ring.stopWatching = clock.after(leftMs, watch)
      else end(name, ring)
    }
    rings.set(name, ring)
    watch()
    return ring
  }

  function end(name: string, ring: Ring): void {
    rings.delete(name)
    ring.stopWatching()
    ring.leave()
  }

  function add(ring: Ring, text: string): void {
    ring.items.set(ring.next++, { text, at: clock.date() })
    ring.bytes += text.length + overhead
    dropOld(ring)
  }

  function dropOld(ring: Ring): void {
    const oldest = clock.date() - idleMs
    // An iterator would pass by all that was dropped before.
    for (let number = ring.next - ring.items.size; number < ring.next; number++) {
      const { text, at } = ring.items.get(number)!
      if (ring.bytes <= maxBytes && at > oldest) break
      ring.items.delete(number)
      ring.bytes -= text.length + overhead
    }
  }

  function listen(name: string, ring: Ring, subscription: RpcSubscription): void {
    let isOver = false
    const leave = subscription.open({
      event(_, result) {
        if (!isOver) add(ring, result.text())
        return true
      },
      gap() {},
      end() {
        isOver = true
        ring.opened = undefined
      },
    })
    ring.leave = () => {
      isOver = true
      leave()
    }
    if (rings.get(name) !== ring) ring.leave()
  }

  async function open(name: string, ring: Ring, full: boolean, tenant: string | undefined): Promise<void> {
    const context = createContext({ clock, tenant, timeoutMs: attemptMs })
    const params = rawJsonFromValue(full ? ['newPendingTransactions', true] : ['newPendingTransactions'])
    try {
      const response = await ask({ method: 'eth_subscribe', params, notification: false }, context)
      const { error } = response
      if (error !== undefined) throw new RpcError('rpc', error.message, { rpc: error })
      if (response.subscription === undefined)
        throw new RpcError('invalid_response', 'the node gave an id, but pushes nothing')
      listen(name, ring, response.subscription)
    } finally {
      context.release()
    }
  }

  /** Finds the ring of a name, and has it listen. */
  function listening(name: string, full: boolean, tenant: string | undefined): readonly [Ring, opened: Promise<void>] {
    const ring = ringOf(name)
    ring.readAt = clock.now()
    if (ring.opened === undefined) {
      const opened = open(name, ring, full, tenant)
      ring.opened = opened
      opened.catch(() => {
        if (ring.opened !== opened) return
        ring.opened = undefined
        if (ring.items.size === 0) end(name, ring)
      })
    }
    return [ring, ring.opened]
  }

  const nameOf = (full: boolean, context: Pick<RpcContext, 'tenant'>): string => `${full} ${shareOf(context)}`

  const stopHearing = readers?.watch((name, tenant) => {
    const full = name.startsWith('true ')
    // Another configuration may have other names.
    if (nameOf(full, { tenant }) === name) listening(name, full, tenant)
  })

  return {
    async changes(cursor, full, context) {
      const name = nameOf(full, context)
      const [ring, opened] = listening(name, full, context.tenant)
      readers?.use(name, context.tenant ?? '')
      // The one who polls next may ask another process.
      if (cursor === undefined) await untilCancelled(Promise.resolve(readers?.settled?.()), context)
      await untilCancelled(opened, context).catch((thrown: unknown) => {
        throw toRpcError(thrown, 'unavailable', 'no node pushes transactions')
      })
      dropOld(ring)
      const texts = textsAfter(cursor, ring)
      // The same place need not be stored again.
      if (texts.length === 0 && cursor?.startsWith(`${ring.id} `)) return { result: rawJsonFromText('[]'), cursor }
      return { result: rawJsonFromText(`[${texts.join(',')}]`), cursor: `${ring.id} ${ring.next} ${clock.date()}` }
    },
    close() {
      stopHearing?.()
      for (const [name, ring] of rings) end(name, ring)
    },
  }
}

/** The transactions after a place: by number in the ring that gave it, else by the time at which they came. */
function textsAfter(cursor: string | undefined, { id, items, next }: Ring): readonly string[] {
  const [ring, number, date] = (cursor ?? `${id} ${next} 0`).split(' ')
  const first = ring === id ? Number(number) : 0
  const after = ring === id ? Number.NEGATIVE_INFINITY : Number(date)
  const texts: string[] = []
  for (let at = next - 1; at >= first; at--) {
    const item = items.get(at)
    if (item === undefined || item.at <= after) break
    texts.push(item.text)
  }
  return texts.toReversed()
}
