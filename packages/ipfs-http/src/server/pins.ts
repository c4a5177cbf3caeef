import type { CID } from 'multiformats/cid'
import type { AddEvent, BackendCall } from '../backend.ts'
import { IpfsError } from '../error.ts'
import type { Pin } from '../pin-ledger.ts'
import type { Call } from './call.ts'
import type { PinClaim } from './pin-claims.ts'
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
  /** Rejects with 403 if the project would hold too much. To be called while the iteration that named `cid` is open. */
  put(pin: NewPin): Promise<void>
  keep(): void
  undo(): Promise<void>
}

/** Creates the pins of a call; there are none at first. */
export function newPins(call: Call): NewPins {
  const { claims, project, releases, storage } = call
  const began = releases.now()
  const put: { readonly claim: PinClaim; readonly pin: NewPin; readonly noRow: () => void }[] = []
  return {
    async put(pin) {
      const noRow = storage.pinning()
      const claim = await claims.put(project.id, { ...pin, cid: String(pin.cid) }, storage.maxStoredBytes)
      if (claim === 'quota') {
        noRow()
        await releaseUnpinned(call, pin.cid, pin.type)
        throw quotaReached()
      }
      storage.pinned(pin.bytes)
      put.push({ claim, pin, noRow })
      await holdAgain(call, pin, began)
    },
    keep() {
      for (const { claim } of put.splice(0)) claim.keep()
    },
    async undo() {
      for (const { claim, pin, noRow } of put.splice(0).toReversed()) {
        if (await claim.undo()) noRow()
        call.storage.pinned(-pin.bytes)
        await releaseUnpinned(call, pin.cid, pin.type, pin.bytes)
      }
    },
  }
}

/** Yields the steps of work that adds pins. If the work fails or is left, all of them are taken back. */
export async function* allOrNone<T>(pins: NewPins, work: AsyncIterable<T>): AsyncGenerator<T, void, undefined> {
  let isWhole = false
  try {
    yield* work
    isWhole = true
    pins.keep()
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
  /** Notes a root that came after the answer was left. */
  addLate(root: Root): void
  /** Has the backend forget the roots that were not pinned. */
  releaseRest(): Promise<void>
}

/** Creates the pins of the roots of one upload. */
export function createRootPins(call: Call, pins: NewPins, name: string | undefined): RootPins {
  const waiting: Root[] = []
  let isBodyWhole = false
  const pin = ({ cid, size, diskBytes }: Root): Promise<void> =>
    pins.put({ cid, type: 'recursive', name, bytes: diskBytes ?? size })
  return {
    async add(root) {
      if (isBodyWhole) await pin(root)
      else waiting.push(root)
    },
    async bodyEnded() {
      isBodyWhole = true
      for (; waiting.length > 0; waiting.shift()) await pin(waiting[0]!)
    },
    addLate: (root) => void waiting.push(root),
    async releaseRest() {
      for (const { cid } of waiting) await releaseUnpinned(call, cid, 'recursive')
    },
  }
}

/**
 * Has the backend hold a CID again if somebody unpinned it after the backend had pinned it for this call. To be called after a pin
 * was stored. `moment`: the beginning of the call, by {@link Releases}.
 */
export async function holdAgain(
  call: Call,
  { cid, type }: Pick<NewPin, 'cid' | 'type'>,
  moment: number,
): Promise<void> {
  const { backend, backendCall, releases } = call
  if (!releases.since(String(cid), moment)) return
  for await (const _ of call.paced(backend.hold(cid, { recursive: type === 'recursive' }, backendCall))) continue
}

/**
 * Has the backend forget, after a call failed, a CID that no project pins. If a project pins it, a backend that pins by itself is
 * asked to hold it again: Kubo loses a pin when a second upload of the same content is cut off. `bytes`: as of `release`.
 */
export async function releaseUnpinned(call: Call, cid: CID, type: Pin['type'], bytes?: bigint): Promise<void> {
  if (!(await call.ledger.isPinned(String(cid)))) return release(call, cid, type, bytes)
  if (call.backend.collect === undefined) await detached(call, (backendCall) => holdAll(call, cid, backendCall))
}

/**
 * Has the backend forget a CID, even after the caller has left. If it was pinned again meanwhile, the backend is asked to hold it
 * again: it may have learned of the pin before it learned of the release. `bytes`: the size of the pin that was removed, if any.
 */
export async function release(call: Call, cid: CID, type: Pin['type'], bytes?: bigint): Promise<void> {
  const { backend, ledger, releases } = call
  releases.note(String(cid))
  await detached(call, async (backendCall) => {
    await backend.release(cid, { recursive: type === 'recursive', bytes }, backendCall)
    releases.note(String(cid))
    if (await ledger.isPinned(String(cid))) await holdAll(call, cid, backendCall)
  })
}

async function holdAll({ backend }: Call, cid: CID, backendCall: BackendCall): Promise<void> {
  for await (const _ of backend.hold(cid, { recursive: true }, backendCall)) continue
}

/** Runs work that goes on after the caller has left, for as long as one step may take. */
async function detached({ clock, timeoutMs }: Call, work: (backendCall: BackendCall) => Promise<void>): Promise<void> {
  const controller = new AbortController()
  const stop = clock.after(timeoutMs, () => controller.abort(deadlineExceeded()))
  await work({ signal: controller.signal }).finally(stop)
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
  let isPut = false
  try {
    const steps = call.backend.hold(pin.cid, { recursive: pin.type === 'recursive' }, call.backendCall)
    for await (const { blocks, bytes, diskBytes = bytes, whole } of call.paced(steps)) {
      checkProgress(blocks)
      call.storage.mayPin(diskBytes)
      if (whole) {
        await pins.put({ ...pin, bytes: diskBytes })
        isPut = true
      }
      yield { blocks, bytes }
    }
  } finally {
    if (!isPut) await releaseUnpinned(call, pin.cid, pin.type)
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
