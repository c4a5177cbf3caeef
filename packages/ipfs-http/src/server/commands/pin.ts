import type { Clock } from '../../clock.ts'
import { IpfsError } from '../../error.ts'
import { lines, single } from '../answers.ts'
import type { Call, Command } from '../call.ts'
import { cidAt, cidOf, cidWriter, readIpfsPath } from '../ipfs-path.ts'
import { allOrNone, holdAndPin, type NewPins, newPins, pinName } from '../pins.ts'
import { quotaReached, refusal } from '../refusal.ts'

/** Time between two lines of progress, in ms. */
const progressMs = 500

/** `POST /api/v0/pin/add`: pins all of its arguments, or none. Source: Kubo `core/commands/pin/pin.go`. */
export const pinAdd: Command = {
  stores: true,
  argument: 'ipfs-path',
  bodyArguments: true,
  options: { name: 'string', progress: 'bool', recursive: 'bool' },
  short: { n: 'name', r: 'recursive' },
  async run(call) {
    const isReported = call.options.bool('progress') === true
    const pins = newPins(call)
    const work = allOrNone(pins, addPins(call, pins, isReported))
    if (isReported) return lines(work, { eager: true })
    let last: object | undefined
    for await (const line of work) last = line
    return single(last)
  },
}

async function* addPins(call: Call, pins: NewPins, isReported: boolean): AsyncGenerator<object, void, undefined> {
  const { options, ledger, project, clock } = call
  const write = cidWriter(options)
  const name = pinName(options.string('name'))
  const type = (options.bool('recursive') ?? true) ? 'recursive' : 'direct'
  const added: string[] = []
  let before = { blocks: 0, bytes: 0n }
  for (const text of options.args) {
    const cid = await cidAt(call, text)
    if (type === 'direct' && (await ledger.get(project.id, String(cid)))?.type === 'recursive') {
      throw new IpfsError('bad_argument', `pin: ${cid} already pinned recursively`)
    }
    let total = before
    const steps = inPinning(holdAndPin(call, pins, { cid, type, name }))
    for await (const step of isReported ? withTicks(steps, clock, progressMs) : steps) {
      if (step === undefined) yield progressLine(total)
      else total = { blocks: before.blocks + step.blocks, bytes: before.bytes + step.bytes }
    }
    before = total
    added.push(write(cid))
  }
  if (isReported && type === 'recursive' && before.blocks > 0) yield progressLine(before)
  yield { Pins: added }
}

/** Begins the message of an error as Kubo does: `pin: `. */
async function* inPinning<T>(steps: AsyncIterable<T>): AsyncGenerator<T, void, undefined> {
  try {
    yield* steps
  } catch (thrown) {
    if (!(thrown instanceof IpfsError) || thrown.message.startsWith('pin: ')) throw thrown
    throw new IpfsError(thrown.code, `pin: ${thrown.message}`, { cause: thrown })
  }
}

function progressLine({ blocks, bytes }: { readonly blocks: number; readonly bytes: bigint }): object {
  return { ...(blocks === 0 ? {} : { Progress: blocks }), ...(bytes === 0n ? {} : { Bytes: Number(bytes) }) }
}

/** Yields the steps of a source, and undefined every `ms` milliseconds in between. */
async function* withTicks<T>(
  source: AsyncGenerator<T, void, undefined>,
  clock: Clock,
  ms: number,
): AsyncGenerator<T | undefined, void, undefined> {
  let stop = (): void => {}
  const nextTick = (): Promise<undefined> =>
    new Promise((resolve) => {
      stop = clock.after(ms, () => resolve(undefined))
    })
  let tick = nextTick()
  let step = source.next()
  try {
    for (;;) {
      const first = await Promise.race([step, tick])
      if (first === undefined) {
        tick = nextTick()
        yield undefined
        continue
      }
      if (first.done === true) return
      yield first.value
      step = source.next()
    }
  } finally {
    stop()
    await source.return()
  }
}

/** `POST /api/v0/pin/update`: replaces one recursive pin by another. Source: Kubo `core/commands/pin/pin.go`. */
export const pinUpdate: Command = {
  stores: true,
  argument: 'from-path',
  options: { unpin: 'bool' },
  async run(call) {
    const { options, ledger, claims, project, storage } = call
    const [fromText, toText] = options.args
    if (toText === undefined) throw refusal(400, 'argument "to-path" is required\n')
    const write = cidWriter(options)
    const paths = [readIpfsPath(fromText!), readIpfsPath(toText)] as const
    const from = await cidOf(call, paths[0])
    const to = await cidOf(call, paths[1])
    const old = await ledger.get(project.id, String(from))
    if (old?.type !== 'recursive') throw notPinnedFrom()
    if (!from.equals(to) && (await ledger.get(project.id, String(to)))?.type === 'recursive') {
      throw new IpfsError('bad_argument', `'to' cid was already recursively pinned`)
    }
    const { name } = old
    const removes = options.bool('unpin') !== false && !from.equals(to)
    let isReplaced = false
    const inItsPlace: Pick<NewPins, 'put'> = {
      async put({ type, bytes }) {
        const pin = { cid: String(to), type, name, bytes }
        const noRow = storage.pinning()
        const result = await claims.change(project.id, [old.cid, pin.cid], () =>
          ledger.replace(project.id, old.cid, pin, {
            keep: !removes,
            maxStoredBytes: storage.maxStoredBytes(),
          }),
        )
        if (result === 'quota' || result === undefined) noRow()
        if (result === 'quota') throw quotaReached()
        if (result === undefined) throw notPinnedFrom()
        storage.pinned(bytes)
        isReplaced = true
      },
    }
    const steps = holdAndPin(call, inItsPlace, { cid: to, type: 'recursive', name })
    try {
      for await (const _ of steps) continue
    } finally {
      // Also where the call ended after the ledger had replaced the row.
      if (isReplaced && removes) await call.leases.release(from, old)
    }
    return single({ Pins: [write(from), write(to)] })
  },
}

function notPinnedFrom(): IpfsError {
  return new IpfsError('not_pinned', `'from' cid was not recursively pinned already`)
}

/** `POST /api/v0/pin/rm`: removes its arguments in their order, up to the first that is not pinned. Source: Kubo `core/commands/pin/pin.go`. */
export const pinRm: Command = {
  argument: 'ipfs-path',
  bodyArguments: true,
  options: { recursive: 'bool' },
  short: { r: 'recursive' },
  async run(call) {
    const { options, ledger, claims, project } = call
    const write = cidWriter(options)
    const removed: string[] = []
    for (const text of options.args) {
      const cid = await cidAt(call, text)
      const pin = await ledger.get(project.id, String(cid))
      if (pin?.type === 'recursive' && options.bool('recursive') === false) {
        throw new IpfsError('bad_argument', `${cid} is pinned recursively`)
      }
      const isGone = await claims.change(project.id, [String(cid)], () => ledger.remove(project.id, String(cid)))
      if (pin === undefined || !isGone) throw new IpfsError('not_pinned', 'not pinned or pinned indirectly')
      // Whether another project pins it is asked again, since it may remove its row at this moment, too.
      await call.leases.release(cid, pin).catch(async (thrown: unknown) => {
        // The caller can ask again.
        await ledger.put(project.id, pin)
        throw thrown
      })
      removed.push(write(cid))
    }
    return single({ Pins: removed })
  },
}
