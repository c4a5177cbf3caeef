import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { CID } from 'multiformats/cid'
import { expect, test } from 'vitest'
import type { AddEntry, AddEvent } from '../../src/backend.ts'
import { IpfsError } from '../../src/error.ts'
import { addEntries } from '../../src/local/add.ts'
import type { BlockWriter } from '../../src/unixfs/add-blocks.ts'
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

async function blocksOf(dir: string): Promise<string[]> {
  const names = await readdir(join(dir, 'blocks'), { recursive: true })
  return names.filter((name) => name.includes('.'))
}

const summary = (events: readonly AddEvent[]): string[] =>
  events.map((event) => (event.type === 'root' ? 'root' : `${event.type} ${event.path}`))

test('children come before their parents, and roots last', async () => {
  const backend = await openTemp()
  const entries = [file('d/b/2', '2'), file('d/a', 'a'), file('top', 't'), file('d/b/1', '1')]
  expect(summary(await addAll(backend, entries))).toEqual([
    'added d/b/2',
    'added d/a',
    'added top',
    'added d/b/1',
    'added d/b',
    'added d',
    'root',
    'root',
  ])
})

test('a directory that wraps all is the only root, and is told without a name', async () => {
  const backend = await openTemp()
  const entries = (): AddEntry[] => [file('x/y', 'y'), file('', 'nameless')]
  const events = await addAll(backend, entries(), { wrapWithDirectory: true })
  const [, named] = events
  expect(summary(events)).toEqual([
    'added x/y',
    `added ${named?.type === 'added' && named.cid}`,
    'added x',
    'added ',
    'root',
  ])
  expect(await textOf(backend, rootOf(events), 'x', 'y')).toBe('y')
})

test('content comes back as it went in, from directories with thousands of names too', async () => {
  const backend = await openTemp()
  const names = Array.from({ length: 3000 }, (_, i) => `${i}-${'name'.repeat(15)}`)
  const events = await addAll(
    backend,
    names.map((name) => file(`d/${name}`, name)),
    { inline: true, inlineLimit: 128 },
  )
  // Sharded: the block of one directory would be larger than 256 KiB.
  expect((await blocksOf(backend.dir)).length).toBeGreaterThan(100)
  for (const name of [names[0]!, names[1234]!, names[2999]!])
    expect(await textOf(backend, rootOf(events), name)).toBe(name)
}, 30_000)

test('progress is told every 256 KiB and at the end', async () => {
  const backend = await openTemp()
  const parts = Array.from({ length: 10 }, () => new Uint8Array(65_536))
  const events = await addAll(backend, [file('a', ...parts)], { progress: true, onlyHash: true })
  const reported = events.flatMap((event) => (event.type === 'progress' ? [[event.path, event.bytes]] : []))
  expect(reported).toEqual([
    ['a', 262_144],
    ['a', 524_288],
    ['a', 655_360],
  ])
})

test('only-hash keeps nothing, and has no root', async () => {
  const backend = await openTemp()
  expect(summary(await addAll(backend, [file('d/a', 'a')], { onlyHash: true }))).toEqual(['added d/a', 'added d'])
  expect(await blocksOf(backend.dir)).toEqual([])
})

test('an identity CID has no block', async () => {
  const backend = await openTemp()
  const events = await addAll(backend, [file('a', 'hi')], { inline: true, rawLeaves: true, cidVersion: 1 })
  expect(await blocksOf(backend.dir)).toEqual([])
  expect(await textOf(backend, rootOf(events))).toBe('hi')
})

test('what is told as added can be read at that moment', async () => {
  const backend = await openTemp()
  const entries = Array.from({ length: 50 }, (_, i) => file(`d/${i}`, `content ${i}`))
  for await (const event of backend.add(entriesOf(...entries), kuboOptions, call())) {
    if (event.type !== 'added' || event.path === 'd') continue
    expect(await textOf(backend, event.cid)).toBe(`content ${event.path.slice(2)}`)
  }
})

test('an entry is told while the next one is still on its way', async () => {
  const backend = await openTemp()
  let release = (): void => {}
  const later = new Promise<void>((resolve) => (release = resolve))
  async function* entries(): AsyncGenerator<AddEntry> {
    yield file('a', 'a')
    await later
    yield file('b', 'b')
  }
  const events: AddEvent[] = []
  for await (const event of backend.add(entries(), kuboOptions, call())) {
    events.push(event)
    release()
  }
  expect(summary(events)).toEqual(['added a', 'added b', 'root', 'root'])
})

test('content is read no faster than it is stored, and no further than a few blocks ahead of who listens', async () => {
  const backend = await openTemp()
  let read = 0
  async function* content(): AsyncGenerator<Uint8Array> {
    for (; read < 400; read++) yield new Uint8Array(262_144).fill(read)
  }
  async function* entries(): AsyncGenerator<AddEntry> {
    yield file('a', 'a')
    yield { type: 'file', path: 'b', content: content() }
  }
  const adding = backend.add(entries(), { ...kuboOptions, progress: true }, call())[Symbol.asyncIterator]()
  await adding.next()
  // One event a part is told: when as many are waiting as may, reading stops.
  let before = -1
  while (before !== read) {
    before = read
    for (let turn = 0; turn < 50; turn++) await new Promise(setImmediate)
  }
  expect(read).toBeLessThan(120)
  await adding.return?.()
})

test.each(['before', 'in the middle'])('a signal ends an upload at once, %s', async (when) => {
  const backend = await openTemp()
  const controller = new AbortController()
  async function* hanging(): AsyncGenerator<Uint8Array> {
    yield new Uint8Array(300_000)
    controller.abort()
    await new Promise(() => {})
  }
  if (when === 'before') controller.abort()
  const entries = entriesOf({ type: 'file', path: 'a', content: hanging() })
  await expect(all(backend.add(entries, kuboOptions, controller))).rejects.toMatchObject({
    code: 'aborted',
  })
})

test('an upload whose body breaks off throws what broke it, after what was added before', async () => {
  const backend = await openTemp()
  const broken = new IpfsError('truncated', 'the body ended')
  async function* content(): AsyncGenerator<Uint8Array> {
    yield new Uint8Array(10)
    throw broken
  }
  const entries = entriesOf(file('a', 'a'), { type: 'file', path: 'b', content: content() })
  const reported: AddEvent[] = []
  const adding = async (): Promise<void> => {
    for await (const event of backend.add(entries, kuboOptions, call())) reported.push(event)
  }
  await expect(adding()).rejects.toBe(broken)
  expect(summary(reported)).toEqual(['added a'])
})

test('who leaves in the middle closes the body', async () => {
  const backend = await openTemp()
  let isClosed = false
  async function* entries(): AsyncGenerator<AddEntry> {
    try {
      for (let i = 0; ; i++) yield file(`${i}`, `${i}`)
    } finally {
      isClosed = true
    }
  }
  for await (const _ of backend.add(entries(), kuboOptions, call())) break
  expect(isClosed).toBe(true)
})

test.each<readonly [string, readonly AddEntry[]]>([
  ['twice with other content', [file('d/a', '1'), file('d/a', '2')]],
  ['as a file and as a directory', [file('d/a', '1'), file('d/a/b', '2')]],
  ['as a directory and as a file', [file('d/a/b', '2'), file('d/a', '1')]],
])('a path in a directory %s is refused', async (_, entries) => {
  const backend = await openTemp()
  await expect(addAll(backend, entries)).rejects.toMatchObject({ code: 'bad_argument' })
})

test('a file and a directory at the top may have one name', async () => {
  const backend = await openTemp()
  for (const entries of [() => [file('a/b', '2'), file('a', '1')], () => [file('a', '1'), file('a/b', '2')]]) {
    const events = await addAll(backend, entries())
    expect(events.filter(({ type }) => type === 'root')).toHaveLength(2)
    expect(summary(events).filter((each) => each === 'added a')).toHaveLength(2)
  }
})

test('the same file twice is one', async () => {
  const backend = await openTemp()
  expect(summary(await addAll(backend, [file('', 'same'), file('', 'same')]))).toEqual(['added ', 'added ', 'root'])
})

test('names that were made to have one hash are refused, not followed for ever', async () => {
  const { writeDirectory } = await import('../../src/unixfs/add-directory.ts')
  const cid = CID.parse('bafkqaaa')
  const link = { cid, size: 0, diskBytes: 0, fileSize: 0 }
  // Two names of 16 bytes each whose murmur3 x64 states collide cannot be had for the asking; the same name twice can.
  const twice = new Map([['a', link]])
  const children = { [Symbol.iterator]: () => [...twice, ...twice][Symbol.iterator]() } as unknown as Parameters<
    typeof writeDirectory
  >[0]
  const blocks = { write: async () => cid, settle: async () => {} }
  await expect(writeDirectory(children, {}, kuboOptions, blocks, true)).rejects.toMatchObject({ code: 'bad_argument' })
})

test.each([
  [{ hash: 'md5' }],
  [{ chunker: 'size-3000000' }],
  [{ inline: true, inlineLimit: 4096 }],
  [{ maxFileLinks: 1 }],
  [{ maxFileLinks: 8193 }],
  [{ maxDirectoryLinks: -1 }],
  [{ maxHamtFanout: 100 }],
  [{ maxHamtFanout: 2048 }],
])('options that cannot be are refused before anything is read: %o', async (options) => {
  const backend = await openTemp()
  let isRead = false
  async function* entries(): AsyncGenerator<AddEntry> {
    isRead = true
    yield file('a', 'a')
  }
  await expect(all(backend.add(entries(), { ...kuboOptions, ...options }, call()))).rejects.toMatchObject({
    code: 'bad_argument',
  })
  expect(isRead).toBe(false)
})

test('a file of several layers comes back, whatever its layout', async () => {
  const backend = await openTemp()
  const content = Buffer.from(Array.from({ length: 5000 }, (_, i) => i % 251))
  for (const trickle of [true, false]) {
    const events = await addAll(backend, [{ type: 'file', path: 'a', content: stream(content) }], {
      chunker: 'size-10',
      trickle,
    })
    expect(content.equals(await bytesOf(backend, rootOf(events)))).toBe(true)
  }
})

test('many small files share a sync, and none is told before one that began after it was written', async () => {
  const count = 3_000
  const written: number[] = []
  let [syncs, safe, blocks] = [0, 0, 0]
  const writer: BlockWriter = {
    async write() {
      written.push(blocks++)
      return cid
    },
    settle: async () => {},
  }
  const sync = async (): Promise<void> => {
    syncs++
    const here = written.length
    await new Promise((resolve) => setTimeout(resolve, 5))
    safe = here
  }
  async function* entries(): AsyncGenerator<AddEntry> {
    for (let i = 0; i < count; i++) yield file(`d/${i}`, `${i}`)
  }
  let reported = 0
  for await (const event of addEntries(entries(), kuboOptions, { writer: () => writer, sync }, call().signal)) {
    if (event.type !== 'added') continue
    expect(++reported).toBeLessThanOrEqual(safe)
  }
  expect(reported).toBe(count + 1)
  expect(syncs).toBeLessThan(count / 50)
})

const cid = CID.parse('Qmf412jQZiuVUtdgnB36FXFX7xg5V6KEbSJ4dpQuhkLyfD')

test('an upload whose caller leaves writes no more than the blocks at hand', async () => {
  const backend = await openTemp()
  const leaving = new AbortController()
  let begun = 0
  const staged = backend.stage({
    lane: 'a',
    maxBlocks: 100_000,
    onBytes(bytes) {
      if (bytes > 0 && ++begun === 50) leaving.abort()
    },
  })
  // All of its content is here at once: the reader of the body has nothing more to wait for.
  const content = Buffer.alloc(30_000)
  for (let at = 0; at < content.length; at += 3) content.writeUIntBE(at, at, 3)
  const upload = all(
    backend.add(
      entriesOf(file('a', content)),
      { ...kuboOptions, chunker: 'size-3' },
      { signal: leaving.signal, staged },
    ),
  )
  await expect(upload).rejects.toMatchObject({ code: 'aborted' })
  expect(begun).toBeLessThan(100)
  await staged.discard()
  expect(await blocksOf(backend.dir)).toEqual([])
})

test('the blocks of an upload are bounded by its bytes, so that little content is little work', async () => {
  const backend = await openTemp()
  const cut = (bytes: number, size: number): Promise<AddEvent[]> =>
    addAll(backend, [file('a', Buffer.alloc(bytes))], { chunker: `size-${size}`, onlyHash: true })
  await expect(cut(200_000, 1)).rejects.toMatchObject({
    code: 'too_large',
    message: 'an upload may have 65536 blocks, and one more for each 16 bytes: use larger chunks, or fewer directories',
  })
  await cut(10_000, 1)
  await cut(400_000, 17)
})

test('directories that names imply count as blocks of their upload, too', async () => {
  const backend = await openTemp()
  const above = Array.from({ length: 150 }, () => 'd').join('/')
  const deep = Array.from({ length: 600 }, (_, at) => file(`${at}/${above}/a`, 'a'))
  await expect(addAll(backend, deep, { onlyHash: true })).rejects.toMatchObject({ code: 'too_large' })
})
