import type { CID } from 'multiformats/cid'
import type { BackendCall } from '../backend.ts'
import { IpfsError } from '../error.ts'
import type { Pin } from '../pin-ledger.ts'
import type { Call } from './call.ts'
import { quotaReached } from './refusal.ts'

/** What a pin is to hold. */
export interface NewPin {
  readonly cid: CID
  readonly type: Pin['type']
  readonly name: string | undefined
  readonly bytes: bigint
}

/** The pins that one call adds: all of them or, after `undo`, none. */
export interface NewPins {
  /** Rejects with 403 where the project would hold too much. To be called while the iteration that told of `cid` is open. */
  put(pin: NewPin): Promise<void>
  undo(): Promise<void>
}

/** Begins with no pin. */
export function newPins(call: Call): NewPins {
  const { ledger, project } = call
  const undos: (() => Promise<void>)[] = []
  return {
    async put({ cid, ...pin }) {
      const key = String(cid)
      const before = await ledger.get(project.id, key)
      const result = await ledger.put(project.id, { cid: key, ...pin }, { maxStoredBytes: project.quota.storedBytes })
      if (result === 'quota') {
        await releaseUnpinned(call, cid, pin.type)
        throw quotaReached()
      }
      undos.push(async () => {
        if (before !== undefined) await ledger.put(project.id, before)
        else {
          await ledger.remove(project.id, key)
          await releaseUnpinned(call, cid, pin.type)
        }
      })
    },
    async undo() {
      for (const undo of undos.splice(0).toReversed()) await undo()
    },
  }
}

/** Has the backend forget what no project pins. */
export async function releaseUnpinned(call: Call, cid: CID, type: Pin['type']): Promise<void> {
  if (!(await call.ledger.isPinned(String(cid)))) await release(call, cid, type)
}

/** Has the backend forget it, also where the caller has left. */
export async function release({ backend, clock, timeoutMs }: Call, cid: CID, type: Pin['type']): Promise<void> {
  const controller = new AbortController()
  const backendCall: BackendCall = { signal: controller.signal }
  const stop = clock.after(timeoutMs, () => controller.abort(new IpfsError('timeout', 'context deadline exceeded')))
  await backend.release(cid, { recursive: type === 'recursive' }, backendCall).finally(stop)
}

/** What adds pins: where it fails, or is left, all of them are taken back. */
export async function* allOrNone<T>(pins: NewPins, work: AsyncIterable<T>): AsyncGenerator<T, void, undefined> {
  let isWhole = false
  try {
    yield* work
    isWhole = true
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
  return text
}

/** Rejects with 403 where the project may store nothing more. */
export async function mayStore({ ledger, project }: Call): Promise<void> {
  const { storedBytes } = project.quota
  if (storedBytes === undefined) return
  // The month concerns transfers alone.
  if (storedBytes === 0n || (await ledger.usage(project.id, '')).storedBytes >= storedBytes) throw quotaReached()
}
