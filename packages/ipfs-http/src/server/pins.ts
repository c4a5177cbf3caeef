import type { CID } from 'multiformats/cid'
import type { BackendCall } from '../backend.ts'
import { IpfsError } from '../error.ts'
import type { Pin } from '../pin-ledger.ts'
import type { Call } from './call.ts'
import type { PinClaim } from './pin-claims.ts'
import { quotaReached } from './refusal.ts'

/** What a pin is to hold. */
export interface NewPin {
  readonly cid: CID
  readonly type: Pin['type']
  readonly name: string | undefined
  readonly bytes: bigint
}

/** The pins that one call adds: all of them after `keep` or, after `undo`, none. */
export interface NewPins {
  /** Rejects with 403 where the project would hold too much. To be called while the iteration that told of `cid` is open. */
  put(pin: NewPin): Promise<void>
  keep(): void
  undo(): Promise<void>
}

/** Begins with no pin. */
export function newPins(call: Call): NewPins {
  const { claims, project, releases } = call
  const began = releases.now()
  const put: { readonly claim: PinClaim; readonly pin: NewPin }[] = []
  return {
    async put(pin) {
      const claim = await claims.put(project.id, { ...pin, cid: String(pin.cid) }, project.quota.storedBytes)
      if (claim === 'quota') {
        await releaseUnpinned(call, pin.cid, pin.type)
        throw quotaReached()
      }
      put.push({ claim, pin })
      await holdAgain(call, pin, began)
    },
    keep() {
      for (const { claim } of put.splice(0)) claim.keep()
    },
    async undo() {
      for (const { claim, pin } of put.splice(0).toReversed()) {
        await claim.undo()
        await releaseUnpinned(call, pin.cid, pin.type)
      }
    },
  }
}

/**
 * To be called after a pin was stored by a call that began at `moment` of {@link Releases}: where somebody unpinned the CID
 * after the backend had pinned it for this call, the backend is asked again.
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
 * Has the backend forget what no project pins, after a call of it failed. What a project pins, a backend that pins by itself is
 * asked to hold again: Kubo loses a pin where a second upload of the same content is cut off.
 */
export async function releaseUnpinned(call: Call, cid: CID, type: Pin['type']): Promise<void> {
  if (!(await call.ledger.isPinned(String(cid)))) return release(call, cid, type)
  if (call.backend.collect === undefined) await detached(call, (backendCall) => holdAll(call, cid, backendCall))
}

async function holdAll({ backend }: Call, cid: CID, backendCall: BackendCall): Promise<void> {
  for await (const _ of backend.hold(cid, { recursive: true }, backendCall)) continue
}

/** Work that goes on where the caller has left, for as long as a step may take. */
async function detached({ clock, timeoutMs }: Call, work: (backendCall: BackendCall) => Promise<void>): Promise<void> {
  const controller = new AbortController()
  const stop = clock.after(timeoutMs, () => controller.abort(new IpfsError('timeout', 'context deadline exceeded')))
  await work({ signal: controller.signal }).finally(stop)
}

/**
 * Has the backend forget it, also where the caller has left. Where it was pinned again meanwhile, the backend is asked to hold it
 * again: it may have heard of the pin before it heard of this.
 */
export async function release(call: Call, cid: CID, type: Pin['type']): Promise<void> {
  const { backend, ledger, releases } = call
  releases.note(String(cid))
  await detached(call, async (backendCall) => {
    await backend.release(cid, { recursive: type === 'recursive' }, backendCall)
    releases.note(String(cid))
    if (await ledger.isPinned(String(cid))) await holdAll(call, cid, backendCall)
  })
}

/** What adds pins: where it fails, or is left, all of them are taken back. */
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

/**
 * Makes sure that a DAG, or one block, is here, and pins it; tells how far that is. A backend that tells of no progress for as long as a step
 * may take has timed out as one that tells nothing.
 */
export async function* holdAndPin(
  call: Call,
  pins: Pick<NewPins, 'put'>,
  pin: Omit<NewPin, 'bytes'>,
): AsyncGenerator<{ readonly blocks: number; readonly bytes: bigint }, void, undefined> {
  const { backend, backendCall, clock, timeoutMs, options } = call
  let isPut = false
  let held = -1
  let since = clock.now()
  try {
    const steps = backend.hold(pin.cid, { recursive: pin.type === 'recursive' }, backendCall)
    for await (const { blocks, bytes, whole } of call.paced(steps)) {
      if (blocks !== held) {
        held = blocks
        since = clock.now()
      } else if (options.string('timeout') === undefined && clock.now() - since >= timeoutMs) {
        throw new IpfsError('timeout', 'context deadline exceeded')
      }
      if (whole) {
        await pins.put({ ...pin, bytes })
        isPut = true
      }
      yield { blocks, bytes }
    }
  } finally {
    if (!isPut) await releaseUnpinned(call, pin.cid, pin.type)
  }
}

/** A pin's name, of at most 255 bytes. */
export function pinName(text: string | undefined): string | undefined {
  if (text === undefined || text === '') return undefined
  const bytes = Buffer.byteLength(text)
  if (bytes > 255) throw new IpfsError('bad_argument', `pin name is ${bytes} bytes (max 255 bytes)`)
  if (text.includes('\0')) throw new IpfsError('bad_argument', 'a pin name may hold no zero byte')
  return text
}

/** Rejects with 403 where the project may store nothing more. */
export async function mayStore({ ledger, project }: Call): Promise<void> {
  const { storedBytes } = project.quota
  if (storedBytes === undefined) return
  // The month concerns transfers alone.
  if (storedBytes === 0n || (await ledger.usage(project.id, '')).storedBytes >= storedBytes) throw quotaReached()
}
