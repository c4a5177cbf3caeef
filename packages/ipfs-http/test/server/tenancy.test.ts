import { expect, test, vi } from 'vitest'
import type { AddEntry, IpfsBackend } from '../../src/backend.ts'
import { createMemoryPinLedger, createPinHealer } from '../../src/server/index.ts'
import { fakeClock } from '../fake-clock.ts'
import { cidOf } from '../local/read/dags.ts'
import { form, localBackend, projectOf, serve, tooLarge } from './serve.ts'

const hello = 'Qmf412jQZiuVUtdgnB36FXFX7xg5V6KEbSJ4dpQuhkLyfD'
const refused = [403, 'not allowed - transfer quota reached']

/** The local backend, and which CIDs it was told to forget. */
async function watched(): Promise<{ backend: IpfsBackend; released: string[] }> {
  const local = await localBackend()
  const released: string[] = []
  const release: IpfsBackend['release'] = (cid, options, call) => {
    released.push(String(cid))
    return local.release(cid, options, call)
  }
  return { backend: { ...local, release }, released }
}

test('projects see their own pins alone, and content goes with the last of them', async () => {
  const { backend, released } = await watched()
  const { post } = await serve({ backend })
  const file = form({ file: 'x', content: 'hello world' })
  await post('add', file)
  await post('add', { ...file, as: 'bob' })
  const keys = { Keys: { [hello]: { Type: 'recursive', Name: '' } } }
  expect((await post('pin/ls')).lines).toEqual([keys])
  expect((await post('pin/ls', { as: 'carol' })).lines).toEqual([{ Keys: {} }])
  expect((await post(`pin/rm?arg=${hello}`, { as: 'carol' })).lines).toMatchObject([
    { Message: 'not pinned or pinned indirectly' },
  ])
  expect((await post(`pin/rm?arg=${hello}`)).status).toBe(200)
  expect(released).toEqual([])
  expect((await post('pin/ls', { as: 'bob' })).lines).toEqual([keys])
  expect((await post(`pin/rm?arg=${hello}`, { as: 'bob' })).status).toBe(200)
  expect(released).toEqual([hello])
})

test('a pin is stored before the backend may collect what it holds', async () => {
  const local = await localBackend()
  const ledger = createMemoryPinLedger()
  const seen: boolean[] = []
  const backend: IpfsBackend = {
    ...local,
    async *add(entries, options, call) {
      yield* local.add(entries, options, call)
      seen.push(await ledger.isPinned(hello))
    },
    async *hold(cid, options, call) {
      yield* local.hold(cid, options, call)
      seen.push(await ledger.isPinned(String(cid)))
    },
  }
  const { post } = await serve({ backend, ledger })
  await post('add', form({ file: 'x', content: 'hello world' }))
  await post('pin/rm?arg=' + hello)
  await post('pin/add?arg=' + hello)
  expect(seen).toEqual([true, true])
})

test('what an upload told as root before it broke off is forgotten, unless somebody pins it', async () => {
  const { backend: local, released } = await watched()
  const backend: IpfsBackend = {
    ...local,
    // One that pins as it goes.
    async *add(entries, options, call) {
      for await (const entry of entries) {
        async function* alone(): AsyncGenerator<AddEntry> {
          yield entry
        }
        yield* local.add(alone(), options, call)
      }
    },
  }
  const { post, ledger } = await serve({ backend })
  const whole = form({ file: 'a', content: 'hello world' }, { file: 'b', content: 'more' })
  const cut = { ...whole, body: whole.body.subarray(0, -4) }
  expect((await post('add', cut)).status).toBe(500)
  expect(await ledger.roots({ limit: 9 })).toEqual([])
  expect(released[0]).toBe(hello)
  expect((await post('add', { ...whole, as: 'bob' })).lines).toHaveLength(2)
  expect(await ledger.roots({ limit: 9 })).toHaveLength(2)
  released.length = 0
  expect((await post('add', cut)).status).toBe(500)
  expect(released).toEqual([])
})

/** A backend that keeps pins of its own, as Kubo does, and confirms them at the end of an upload. */
async function pinning(): Promise<{
  backend: IpfsBackend
  pinned: Set<string>
  now: { beforePinned(): Promise<unknown> }
}> {
  const { collect: _, ...local } = await localBackend()
  const pinned = new Set<string>()
  const now = { beforePinned: async (): Promise<unknown> => undefined }
  const backend: IpfsBackend = {
    ...local,
    async *add(entries, options, call) {
      const roots: string[] = []
      for await (const event of local.add(entries, options, call)) {
        if (event.type === 'root') {
          roots.push(String(event.cid))
          pinned.add(String(event.cid))
          await now.beforePinned()
        }
        yield event
      }
      for (const root of roots) pinned.add(root)
    },
    async *hold(cid, options, call) {
      for await (const step of local.hold(cid, options, call)) {
        if (step.whole) pinned.add(String(cid))
        yield step
      }
    },
    async release(cid) {
      pinned.delete(String(cid))
    },
    isHeld: async (cid) => pinned.has(String(cid)),
  }
  return { backend, pinned, now }
}

test('what somebody unpins while an upload of it goes on is pinned in the end', async () => {
  const { backend, pinned, now } = await pinning()
  const { post, ledger } = await serve({ backend })
  const file = form({ file: 'a', content: 'hello world' })
  await post('add', { ...file, as: 'bob' })
  now.beforePinned = async () => {
    now.beforePinned = async () => undefined
    expect((await post(`pin/rm?arg=${hello}`, { as: 'bob' })).status).toBe(200)
    expect(pinned.has(hello)).toBe(false)
  }
  expect((await post('add', file)).status).toBe(200)
  expect(pinned.has(hello)).toBe(true)
  expect(await ledger.roots({ limit: 9 })).toEqual([{ cid: hello, recursive: true }])
})

test('what somebody unpins while it takes the place of another pin stays pinned', async () => {
  const { backend, pinned } = await pinning()
  let unpin = async (): Promise<unknown> => undefined
  const { post } = await serve({
    backend: {
      ...backend,
      async *hold(cid, options, call) {
        for await (const step of backend.hold(cid, options, call)) {
          if (step.whole) await unpin()
          yield step
        }
      },
    },
  })
  const [{ Hash: old }] = (await post('add', form({ file: 'b', content: 'old' }))).lines as [{ Hash: string }]
  await post('add', { ...form({ file: 'a', content: 'hello world' }), as: 'bob' })
  unpin = () => {
    unpin = async () => undefined
    return post(`pin/rm?arg=${hello}`, { as: 'bob' })
  }
  expect((await post(`pin/update?arg=${old}&arg=${hello}`)).status).toBe(200)
  expect([...pinned]).toEqual([hello])
})

test('where a quota ends an upload of many roots, each of them is forgotten', async () => {
  const { backend: local, released } = await watched()
  const backend: IpfsBackend = {
    ...local,
    async *add(entries, options, call) {
      for await (const entry of entries) {
        async function* alone(): AsyncGenerator<AddEntry> {
          yield entry
        }
        yield* local.add(alone(), options, call)
      }
    },
  }
  const { post, ledger } = await serve({ backend, projects: [projectOf('alice', { storedBytes: 4_100n })] })
  const files = ['1', '2', '3', '4'].map((content) => ({ file: content, content }))
  const reported = (await post('add?pin=false', { ...form(...files), as: 'bob' })).lines.map((line) => line['Hash'])
  expect((await post('add', form(...files))).status).toBe(403)
  expect(await ledger.list('alice', { limit: 9 })).toEqual([])
  expect(new Set(released)).toEqual(new Set(reported))
})

test('a pin waits while its CID is being forgotten', async () => {
  const { backend, pinned } = await pinning()
  const forgetting = Promise.withResolvers<void>()
  const forget = Promise.withResolvers<void>()
  const { post, ledger } = await serve({
    backend: {
      ...backend,
      async release(...args) {
        forgetting.resolve()
        await forget.promise
        await backend.release(...args)
      },
    },
  })
  await post('add', form({ file: 'x', content: 'hello world' }))
  const unpinned = post(`pin/rm?arg=${hello}`)
  await forgetting.promise
  const pin = post(`pin/add?arg=${hello}`, { as: 'bob' })
  await new Promise((resolve) => setTimeout(resolve, 50))
  expect(await ledger.isPinned(hello)).toBe(false)
  forget.resolve()
  expect([(await unpinned).status, (await pin).status]).toEqual([200, 200])
  expect([pinned.has(hello), await ledger.isPinned(hello)]).toEqual([true, true])
})

test('what a call left that the backend did not answer is settled once its lease has expired', async () => {
  const { backend, pinned } = await pinning()
  const clock = fakeClock()
  const ledger = createMemoryPinLedger({ clock })
  let isAway = true
  const flaky: IpfsBackend = {
    ...backend,
    release: async (...args) => {
      await backend.release(...args)
      if (isAway) throw new Error('away')
    },
  }
  const { post } = await serve({ backend: flaky, ledger })
  await post('add', form({ file: 'x', content: 'hello world' }))
  expect((await post(`pin/rm?arg=${hello}`)).status).toBe(500)
  expect([pinned.has(hello), await ledger.isPinned(hello)]).toEqual([false, true])
  isAway = false
  const { signal } = new AbortController()
  const healer = createPinHealer({ backend: flaky, ledger, clock, timeoutMs: 60_000, signal })!
  expect(await healer.settleExpired()).toBe(0)
  clock.advance(30_000)
  expect(await healer.settleExpired()).toBe(1)
  expect(pinned.has(hello)).toBe(true)
  pinned.clear()
  expect(await healer.compare()).toEqual({ pins: 1, pinned: 1, lacking: 0 })
  expect(await healer.compare()).toEqual({ pins: 1, pinned: 0, lacking: 0 })
  expect(pinned.has(hello)).toBe(true)
})

test('a root that a quota refuses is forgotten, also by a backend that pins it again at the end of the upload', async () => {
  const { backend, pinned } = await pinning()
  // As Kubo's, it does not tell new blocks from others.
  const { stage: _, ...unstaged } = backend
  const { post, ledger } = await serve({
    backend: unstaged,
    projects: [projectOf('alice', { storedBytes: 10n })],
  })
  expect((await post('add', form({ file: 'x', content: 'hello world' }))).status).toBe(403)
  expect(await ledger.list('alice', { limit: 9 })).toEqual([])
  expect([...pinned]).toEqual([])
})

test('where the backend is gone, a call takes back all of its pins, and leaves no lease that it renews', async () => {
  const { backend, pinned } = await pinning()
  const clock = fakeClock()
  const ledger = createMemoryPinLedger({ clock })
  let isAway = false
  const { stage: _, ...unstaged } = backend
  const flaky: IpfsBackend = {
    ...unstaged,
    async *add(...args) {
      yield* unstaged.add(...args)
      isAway = true
      throw new Error('away')
    },
    async release(...args) {
      if (isAway) throw new Error('away')
      await backend.release(...args)
    },
  }
  const { post } = await serve({ backend: flaky, ledger, clock })
  const files = ['1', '2', '3'].map((content) => ({ file: content, content }))
  expect((await post('add', form(...files))).status).toBe(500)
  expect(await ledger.list('alice', { limit: 9 })).toEqual([])
  expect(pinned.size).toBe(3)
  for (let at = 0; at < 4; at++) {
    clock.advance(10_000)
    await new Promise((resolve) => setImmediate(resolve))
  }
  isAway = false
  const { signal } = new AbortController()
  const healer = createPinHealer({ backend: flaky, ledger, clock, timeoutMs: 60_000, signal })!
  expect(await healer.settleExpired()).toBe(3)
  expect(pinned.size).toBe(0)
  expect(await healer.settleExpired()).toBe(0)
})

test('a comparison that fails goes on where it ended, and one dead CID does not keep others waiting', async () => {
  const { backend, pinned } = await pinning()
  const clock = fakeClock()
  const ledger = createMemoryPinLedger({ clock })
  const asked: string[] = []
  const cids = Array.from({ length: 250 }, (_, at) => `${cidOf(Buffer.from(String(at)))}`).toSorted()
  for (const cid of cids) await ledger.put('alice', { cid, type: 'recursive', name: undefined, bytes: 1n })
  let broken = cids[150]
  const flaky: IpfsBackend = {
    ...backend,
    async isHeld(cid) {
      asked.push(String(cid))
      if (String(cid) === broken) throw new Error('away')
      return pinned.has(String(cid))
    },
    async *hold(cid) {
      if (String(cid) === cids[0]) throw new Error('nobody has it')
      pinned.add(String(cid))
      yield { blocks: 1, bytes: 1n, whole: true }
    },
  }
  const { signal } = new AbortController()
  const healer = createPinHealer({ backend: flaky, ledger, clock, timeoutMs: 60_000, signal })!
  await expect(healer.compare()).rejects.toThrow('away')
  expect(asked).toContain(cids[0])
  asked.length = 0
  broken = undefined
  expect(await healer.compare()).toEqual({ pins: 250, pinned: expect.any(Number) as number, lacking: 1 })
  expect(asked).toHaveLength(150)
  expect(pinned.size).toBe(249)
})

test('a call that fails takes back its own pins, and leaves what the project has pinned meanwhile', async () => {
  const local = await localBackend()
  const later = 'QmQy2Dw4Wk7rdJKjThjYXzfFJNaRKRHhHP5gHHXroJMYxk'
  let fail = (): void => {}
  const waiting = new Promise<void>((reached) => {
    fail = reached
  })
  let go = (): void => {}
  const allowed = new Promise<void>((resolve) => {
    go = resolve
  })
  const backend: IpfsBackend = {
    ...local,
    async *hold(cid, options, call) {
      if (String(cid) === later) {
        fail()
        await allowed
      }
      yield* local.hold(cid, options, call)
    },
  }
  const { post, ledger } = await serve({ backend })
  await post('add?pin=false', form({ file: 'x', content: 'hello world' }))
  const failing = post(`pin/add?arg=${hello}&arg=${later}`)
  await waiting
  expect((await post(`pin/add?arg=${hello}&name=mine`)).status).toBe(200)
  go()
  expect((await failing).status).toBe(500)
  expect(await ledger.list('alice', { limit: 9 })).toMatchObject([{ cid: hello, name: 'mine' }])
})

test('roots of an archive that are not to be pinned are forgotten where nobody pins them', async () => {
  const { backend, released } = await watched()
  const { post } = await serve({ backend })
  await post('add', form({ file: 'x', content: 'hello world' }))
  const car = (await post(`dag/export?arg=${hello}`)).bytes
  const archive = form({ file: 'x.car', content: car })
  expect((await post('dag/import?pin-roots=false', { ...archive, as: 'bob' })).text).toBe('')
  expect(released).toEqual([])
  await post(`pin/rm?arg=${hello}`)
  released.length = 0
  await post('dag/import?pin-roots=false', { ...archive, as: 'bob' })
  expect(released).toEqual([hello])
})

test('a stream that was asked for and never begun is ended with its call', async () => {
  const local = await localBackend()
  const signals: AbortSignal[] = []
  const backend: IpfsBackend = {
    ...local,
    cat(path, range, call) {
      signals.push(call.signal)
      return local.cat(path, range, call)
    },
  }
  const { post } = await serve({ backend })
  await post('add', form({ file: 'x', content: 'hello world' }))
  expect((await post(`cat?arg=${hello}&arg=${hello}/none`)).status).toBe(500)
  expect(signals[0]!.aborted).toBe(true)
})

test('a backend that pins by itself is asked again for what a failed upload had in common with a pin', async () => {
  const { collect: _, ...local } = await localBackend()
  const held: string[] = []
  const backend: IpfsBackend = {
    ...local,
    async *add(entries, options, call) {
      for await (const entry of entries) {
        async function* alone(): AsyncGenerator<AddEntry> {
          yield entry
        }
        yield* local.add(alone(), options, call)
      }
    },
    hold(cid, options, call) {
      held.push(String(cid))
      return local.hold(cid, options, call)
    },
  }
  const { post } = await serve({ backend })
  const whole = form({ file: 'a', content: 'hello world' }, { file: 'b', content: 'more' })
  await post('add', whole)
  expect(held).toEqual([])
  expect((await post('add', { ...whole, body: whole.body.subarray(0, -4) })).status).toBe(500)
  expect(held).toContain(hello)
})

test('a backend that cannot forget leaves the pin, so that it can be asked again', async () => {
  const local = await localBackend()
  const { post, ledger } = await serve({ backend: { ...local, release: () => Promise.reject(new Error('away')) } })
  await post('add', form({ file: 'x', content: 'hello world' }))
  expect((await post(`pin/rm?arg=${hello}`)).status).toBe(500)
  expect(await ledger.isPinned(hello)).toBe(true)
})

test('storage is refused before it is exceeded, and nothing is pinned then', async () => {
  const { backend, released } = await watched()
  const { post, ledger } = await serve({ backend, projects: [projectOf('alice', { storedBytes: 8_200n })] })
  expect((await post('add', form({ file: 'x', content: 'hello world' }))).status).toBe(200)
  const more = form({ file: 'a', content: '1' }, { file: 'b', content: '2'.repeat(20) })
  await post('add?pin=false', { ...more, as: 'bob' })
  const answer = await post('add', more)
  expect([answer.status, answer.text]).toEqual(refused)
  expect(await ledger.list('alice', { limit: 9 })).toMatchObject([{ cid: hello, bytes: 4096n }])
  // The root that was refused is released once more when the backend is done with it.
  expect(new Set(released).size).toBe(2)
  expect(released).toHaveLength(3)
  const [{ Hash: long }] = (await post('add?pin=false', { ...form({ content: '3'.repeat(5_000) }), as: 'bob' }))
    .lines as [{ Hash: string }]
  const pin = await post(`pin/add?arg=${long}`)
  expect([pin.status, pin.text]).toEqual(refused)
  expect(released.at(-1)).toBe(long)
  expect((await post(`pin/add?arg=${hello}&name=again`)).status).toBe(200)
  const update = await post(`pin/update?arg=${hello}&arg=${long}&unpin=false`)
  expect([update.status, update.text]).toEqual(refused)
  expect((await post(`pin/update?arg=${hello}&arg=${long}`)).status).toBe(200)
})

test('a project at a limit is refused at once, and one that may have nothing too', async () => {
  const { post } = await serve({
    projects: [projectOf('alice', { storedBytes: 0n }), projectOf('bob', { uploadBytes: 0n, downloadBytes: 0n })],
  })
  const file = form({ file: 'x', content: 'hello world' })
  const statusOf = async (path: string, as: string, options = {}): Promise<unknown[]> => {
    const { status, text } = await post(path, { ...options, as })
    return [status, text]
  }
  expect(await statusOf('add', 'alice', file)).toEqual(refused)
  for (const path of ['add?pin=false', 'block/put', 'dag/import?pin-roots=false']) {
    expect(await statusOf(path, 'alice', file), path).toEqual(refused)
  }
  expect((await post('add?only-hash=true', file)).status).toBe(200)
  expect((await post('add?pin=false', { ...file, as: 'carol' })).status).toBe(200)
  expect(await statusOf('add?pin=false', 'bob', file)).toEqual(refused)
  for (const path of [
    `cat?arg=${hello}`,
    `get?arg=${hello}`,
    `block/get?arg=${hello}`,
    `dag/get?arg=${hello}`,
    `dag/export?arg=${hello}`,
  ]) {
    expect(await statusOf(path, 'bob'), path).toEqual(refused)
  }
  expect((await post('pin/ls', { as: 'bob' })).status).toBe(200)
})

test('transfers count by month, in both directions, as bytes pass', async () => {
  const clock = fakeClock(Date.UTC(2026, 10, 30, 23, 59, 50))
  const quota = { uploadBytes: 400n, downloadBytes: 20n }
  const { post, ledger } = await serve({ clock, projects: [projectOf('alice', quota)] })
  const file = form({ file: 'x', content: 'hello world' })
  expect((await post('add', file)).status).toBe(200)
  const chunked = { ...file, headers: { ...file.headers, 'Transfer-Encoding': 'chunked' } }
  const size = BigInt(file.body.length)
  for (let sent = 2n * size; sent <= 400n; sent += size) expect((await post('add', chunked)).status).toBe(200)
  for (const options of [file, chunked]) {
    const answer = await post('add', options)
    expect([answer.status, answer.text]).toEqual(refused)
  }
  expect((await post(`cat?arg=${hello}`)).text).toBe('hello world')
  clock.advance(1_000)
  await vi.waitFor(async () => expect((await ledger.usage('alice', '2026-11')).downloadedBytes).toBe(11n))
  const over = await post(`cat?arg=${hello}`)
  expect([over.status, over.text]).toEqual(refused)
  expect((await post(`cat?arg=${hello}&length=9`)).text).toBe('hello wor')
  clock.advance(9_000)
  expect((await post('add', file)).status).toBe(200)
  expect((await post(`cat?arg=${hello}`)).text).toBe('hello world')
  clock.advance(1_000)
  const december = { uploadedBytes: size, downloadedBytes: 11n }
  await vi.waitFor(async () => expect(await ledger.usage('alice', '2026-12')).toMatchObject(december))
})

test('a limit that is met in the middle of an answer is told in its trailer', async () => {
  const quota = { uploadBytes: 1_000_000n, downloadBytes: 10_000n }
  const { post, ledger } = await serve({ maxRequestBytes: 600_000, projects: [projectOf('alice', quota)] })
  const long = form({ file: 'x', content: new Uint8Array(700_000) })
  const chunked = { ...long, headers: { ...long.headers, 'Transfer-Encoding': 'chunked' } }
  const upload = await post('add?progress=true', chunked)
  expect([upload.status, upload.trailers]).toEqual([200, { 'x-stream-error': tooLarge(600_000).trim() }])
  expect(await ledger.roots({ limit: 1 })).toEqual([])
  // How long an archive will be is not known before.
  const [line] = (await post('add?pin=false', { ...form({ content: new Uint8Array(20_000) }), as: 'bob' })).lines
  const download = await post(`get?arg=${String(line!['Hash'])}`)
  expect([download.status, download.trailers]).toEqual([200, { 'x-stream-error': refused[1] }])
  expect(download.bytes.length).toBeLessThanOrEqual(10_000)
})
