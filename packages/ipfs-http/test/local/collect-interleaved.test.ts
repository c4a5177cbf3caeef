import fc from 'fast-check'
import type { CID } from 'multiformats/cid'
import { expect, test } from 'vitest'
import type { PinnedRoot, StagedBlocks } from '../../src/backend.ts'
import type { LocalBackend } from '../../src/local/index.ts'
import {
  addAll,
  all,
  bytesOf,
  call,
  entriesOf,
  file,
  kuboOptions,
  openTemp,
  rootOf,
  stream,
  textOf,
} from './support.ts'

const small = { ...kuboOptions, chunker: 'size-100' }
const texts = ['aaa', 'aab', 'abc'].map((text) => text.split('').map((letter) => letter.repeat(100)))

function stage(backend: LocalBackend): { readonly staged: StagedBlocks } {
  return { staged: backend.stage({ lane: 'a', maxBlocks: 1_000, onBytes() {} }) }
}

/** What runs beside the others, one step at a time. */
type Steps = AsyncGenerator<unknown, void>

interface World {
  readonly backend: LocalBackend
  /** Whole archives and CIDs of each text. */
  readonly known: readonly { readonly cid: CID; readonly car: Uint8Array; readonly text: string }[]
  readonly pins: Map<string, CID>
  isCollecting: boolean
}

const kinds: Readonly<Record<string, (world: World, at: number) => Steps>> = {
  async *add({ backend, known, pins }, at) {
    for await (const event of backend.add(entriesOf(file('d/f', known[at]!.text)), small, call())) {
      if (event.type === 'root') pins.set(String(event.cid), event.cid)
      yield
    }
  },
  async *addAndLeave({ backend, known }, at) {
    for await (const event of backend.add(entriesOf(file('d/f', known[at]!.text)), small, call())) yield event
  },
  async *stageAndKeep({ backend, known, pins }, at) {
    const { staged } = stage(backend)
    for await (const event of backend.add(entriesOf(file('d/f', known[at]!.text)), small, { ...call(), staged })) {
      if (event.type === 'root') pins.set(String(event.cid), event.cid)
      yield
    }
    staged.keep()
  },
  async *stageAndLeave({ backend, known }, at) {
    const { staged } = stage(backend)
    yield* backend.add(entriesOf(file('d/f', known[at]!.text)), small, { ...call(), staged })
    staged.leave()
  },
  async *stageAndDiscard({ backend, known }, at) {
    const { staged } = stage(backend)
    yield* backend.importCar(stream(known[at]!.car), { ...call(), staged })
    // Its removals go on beside the steps of others.
    void staged.discard()
    yield
  },
  async *stageAndPin({ backend, known, pins }, at) {
    const { staged } = stage(backend)
    const { cid } = known[at]!
    try {
      for await (const { whole } of backend.hold(cid, { recursive: true }, { ...call(), staged })) {
        if (whole) pins.set(String(cid), cid)
        yield
      }
      staged.keep()
    } catch (thrown) {
      expect(thrown).toMatchObject({ code: 'not_found' })
      await staged.discard()
    }
  },
  async *import({ backend, known, pins }, at) {
    for await (const event of backend.importCar(stream(known[at]!.car), call())) {
      if (event.type === 'root') pins.set(String(event.cid), event.cid)
      yield
    }
  },
  async *pin({ backend, known, pins }, at) {
    const { cid } = known[at]!
    try {
      for await (const { whole } of backend.hold(cid, { recursive: true }, call())) {
        if (whole) pins.set(String(cid), cid)
        yield
      }
    } catch (thrown) {
      expect(thrown).toMatchObject({ code: 'not_found' })
    }
  },
  async *unpin({ known, pins }, at) {
    pins.delete(String(known[at]!.cid))
    yield
  },
  async *read({ backend, known, pins }, at) {
    const { cid, text } = known[at]!
    const wasPinned = pins.has(String(cid))
    try {
      const { bytes } = await backend.cat({ cid, segments: ['f'] }, { offset: 0n, length: undefined }, call())
      const parts: Uint8Array[] = []
      for await (const part of bytes) {
        parts.push(part)
        yield
      }
      expect(Buffer.concat(parts).toString()).toBe(text)
    } catch (thrown) {
      // It may have been unpinned meanwhile.
      if (wasPinned && pins.has(String(cid))) throw thrown
      expect(thrown).toMatchObject({ code: 'not_found' })
    }
  },
  async *collect(world) {
    const { backend, pins } = world
    // The second would wait for the first.
    if (world.isCollecting) return
    world.isCollecting = true
    let [reached, go] = [Promise.withResolvers<boolean>(), Promise.withResolvers<void>()]
    const roots = async function* (): AsyncGenerator<PinnedRoot> {
      // As the rows of a table, read one page after the other.
      const snapshot = Array.from(pins.values())
      for (const cid of snapshot) {
        reached.resolve(false)
        await go.promise
        if (pins.has(String(cid))) yield { cid, recursive: true }
      }
    }
    const collected = backend.collect(roots, call()).then(() => !(world.isCollecting = false))
    for (;;) {
      if (await Promise.race([reached.promise, collected])) return
      yield
      reached = Promise.withResolvers<boolean>()
      go.resolve()
      go = Promise.withResolvers<void>()
    }
  },
}

test('whatever is added, imported, pinned, unpinned, read and collected in turns, what is pinned stays whole', async () => {
  const origin = await openTemp()
  const known: { cid: CID; car: Uint8Array; text: string }[] = []
  for (const parts of texts) {
    const cid = rootOf(await addAll(origin, [file('d/f', parts.join(''))], small))
    known.push({ cid, car: Buffer.concat(await all(await origin.exportCar(cid, call()))), text: parts.join('') })
  }
  const works = fc.array(fc.tuple(fc.constantFrom(...Object.keys(kinds)), fc.nat(texts.length - 1)), {
    minLength: 3,
    maxLength: 18,
  })
  await fc.assert(
    fc.asyncProperty(works, fc.infiniteStream(fc.nat()), async (wanted, turns) => {
      const backend = await openTemp()
      const world: World = { backend, known, pins: new Map(), isCollecting: false }
      const waiting = wanted.map(([kind, at]) => kinds[kind]!(world, at))
      const running: Steps[] = []
      while (waiting.length + running.length > 0) {
        while (running.length < 4 && waiting.length > 0) running.push(waiting.shift()!)
        const steps = running[turns.next().value! % running.length]!
        if ((await steps.next()).done) running.splice(running.indexOf(steps), 1)
      }
      for (const { cid, text } of known)
        if (world.pins.has(String(cid))) expect(await textOf(backend, cid, 'f')).toBe(text)
      await all(kinds['collect']!(world, 0))
      for (const { cid, text } of known) {
        if (world.pins.has(String(cid))) expect((await bytesOf(backend, cid, 'f')).toString()).toBe(text)
        else await expect(backend.getBlock(cid, call())).rejects.toMatchObject({ code: 'not_found' })
      }
      await backend.close()
    }),
    { numRuns: 60 },
  )
}, 60_000)
