import type { CID } from 'multiformats/cid'
import type { AddEvent } from '../backend.ts'
import { IpfsError } from '../error.ts'
import type { Pin } from '../pin-ledger.ts'
import type { Call } from './call.ts'
import type { PinClaim } from './pin-claims.ts'
import type { PinLease } from './pin-leases.ts'
import { quotaReached } from './refusal.ts'

/** A pin to put. */
export interface NewPin {
  readonly cid: CID
  readonly type: Pin['type']
  readonly name: string | undefined
  /** Counted against the project's storage. */
  readonly bytes: bigint
}

/** The pins that one call adds: all of them after `keep`, none after `undo`. */
export interface NewPins {
  /**
   * Rejects with 403 if the project would hold too much. To be called while the iteration that named `cid` is open. Where the caller has
   * no lease of the CID, one is held until `keep` or `undo`: the backend has to confirm its pin in between.
   */
  put(pin: NewPin, options?: { readonly isLeased?: boolean }): Promise<void>
  keep(): Promise<void>
  undo(): Promise<void>
}

interface PutPin {
  readonly claim: PinClaim
  readonly pin: NewPin
  readonly lease: PinLease | undefined
  readonly noRow: () => void
}

/** Creates the pins of a call; there are none at first. */
export function newPins(call: Call): NewPins {
  const { claims, leases, project, storage } = call
  const put: PutPin[] = []

  async function putClaim(pin: NewPin, lease: PinLease | undefined): Promise<void> {
    const noRow = storage.pinning()
    const claim = await claims.put(project.id, { ...pin, cid: String(pin.cid) }, storage.maxStoredBytes)
    if (claim === 'quota') {
      noRow()
      throw quotaReached()
    }
    storage.pinned(pin.bytes)
    put.push({ claim, pin, lease, noRow })
  }

  return {
    async put(pin, { isLeased = false } = {}) {
      if (isLeased) return putClaim(pin, undefined)
      const lease = await leases.begin(pin.cid, call.backendCall.signal)
      await putClaim(pin, lease).catch(async (thrown: unknown) => {
        await lease.drop({ type: pin.type })
        throw thrown
      })
    },
    async keep() {
      for (const { lease } of put) await lease?.keep()
      for (const { claim } of put.splice(0)) claim.keep()
    },
    async undo() {
      await settleAll(put.splice(0).toReversed(), async ({ claim, pin, lease, noRow }, isAway) => {
        try {
          if (await claim.undo()) noRow()
          storage.pinned(-pin.bytes)
        } finally {
          if (isAway) await (lease === undefined ? leases.leave(pin.cid) : lease.leave())
          else await (lease === undefined ? leases.settle(pin.cid, pin) : lease.drop(pin))
        }
      })
    },
  }
}

/**
 * Settles all items one after the other, also where some fail, and throws the first error at the end. `isAway`: one has failed, so the backend
 * is not waited for again.
 */
async function settleAll<T>(items: Iterable<T>, settle: (item: T, isAway: boolean) => Promise<void>): Promise<void> {
  const errors: unknown[] = []
  for (const item of items) await settle(item, errors.length > 0).catch((thrown: unknown) => errors.push(thrown))
  if (errors.length > 0) throw errors[0]
}

/** Yields the steps of work that adds pins. If the work fails or is left, all of them are taken back. */
export async function* allOrNone<T>(pins: NewPins, work: AsyncIterable<T>): AsyncGenerator<T, void, undefined> {
  let isWhole = false
  try {
    yield* work
    await pins.keep()
    isWhole = true
  } finally {
    if (!isWhole) await pins.undo()
  }
}

type Root = Extract<AddEvent, { type: 'root' }>

/** Pins the roots of an upload. They wait until the body is known to be whole, since it may still turn out to be broken. */
export interface RootPins {
  /** Pins a root; before the end of the body, remembers it. */
  add(root: Root): Promise<void>
  /** Pins the roots that wait. The backend must still be adding: later it may forget a root that nobody pins. */
  bodyEnded(): Promise<void>
  /** Notes a root that is not to be pinned: another has its place, or it came after the answer was left. */
  addUnpinned(root: Root): void
  /** Has the backend forget the roots that were not pinned. */
  releaseRest(): Promise<void>
}

/** Creates the pins of the roots of one upload. */
export function createRootPins(call: Call, pins: NewPins, name: string | undefined): RootPins {
  const waiting: Root[] = []
  const unpinned: Root[] = []
  let isBodyWhole = false
  const pin = ({ cid, size, diskBytes }: Root): Promise<void> =>
    pins.put({ cid, type: 'recursive', name, bytes: diskBytes ?? size })
  return {
    async add(root) {
      if (!isBodyWhole) return void waiting.push(root)
      await pin(root).catch((thrown: unknown) => {
        // The backend is still adding, and may pin it once more.
        waiting.push(root)
        throw thrown
      })
    },
    async bodyEnded() {
      isBodyWhole = true
      for (; waiting.length > 0; waiting.shift()) await pin(waiting[0]!)
    },
    addUnpinned: (root) => void unpinned.push(root),
    async releaseRest() {
      const all = [...waiting, ...unpinned]
      await settleAll(all, ({ cid }, isAway) => (isAway ? call.leases.leave(cid) : call.leases.settle(cid)))
    },
  }
}

/** Has the backend hold a block and all below it, and pins it without a name. */
export async function pinBlock(call: Call, pins: NewPins, cid: CID): Promise<void> {
  for await (const _ of holdAndPin(call, pins, { cid, type: 'recursive', name: undefined })) continue
}

/** Has the backend hold a DAG, or one block, and pins it. Yields how much is held so far. */
export async function* holdAndPin(
  call: Call,
  pins: Pick<NewPins, 'put'>,
  pin: Omit<NewPin, 'bytes'>,
): AsyncGenerator<{ readonly blocks: number; readonly bytes: bigint }, void, undefined> {
  const checkProgress = progressCheck(call)
  const { signal } = call.backendCall
  const lease = await call.leases.begin(pin.cid, signal)
  let isPut = false
  try {
    const steps = call.backend.hold(pin.cid, { recursive: pin.type === 'recursive' }, call.backendCall)
    for await (const { blocks, bytes, diskBytes = bytes, whole } of call.paced(steps)) {
      checkProgress(blocks)
      call.storage.mayPin(diskBytes)
      if (whole) {
        await pins.put({ ...pin, bytes: diskBytes }, { isLeased: true })
        isPut = true
      }
      yield { blocks, bytes }
    }
  } finally {
    await (isPut ? lease.keep() : lease.drop(pin))
  }
}

/** Creates a check that throws `timeout` if the number of blocks stays the same for as long as a step may take. */
function progressCheck({ clock, timeoutMs, options }: Call): (blocks: number) => void {
  const isBounded = options.string('timeout') === undefined
  let latest = { blocks: -1, at: clock.now() }
  return (blocks) => {
    if (blocks !== latest.blocks) latest = { blocks, at: clock.now() }
    else if (isBounded && clock.now() - latest.at >= timeoutMs) throw deadlineExceeded()
  }
}

function deadlineExceeded(): IpfsError {
  return new IpfsError('timeout', 'context deadline exceeded')
}

/** Reads a pin's name, of at most 255 bytes; undefined if it is empty. Throws `bad_argument`. */
export function pinName(text: string | undefined): string | undefined {
  if (text === undefined || text === '') return undefined
  const bytes = Buffer.byteLength(text)
  if (bytes > 255) throw new IpfsError('bad_argument', `pin name is ${bytes} bytes (max 255 bytes)`)
  if (text.includes('\0')) throw new IpfsError('bad_argument', 'a pin name may hold no zero byte')
  return text
}
