import { createHash } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fixedSize } from 'ipfs-unixfs-importer/chunker'
import { importer } from 'ipfs-unixfs-importer'
import { balanced, trickle } from 'ipfs-unixfs-importer/layout'
import fc from 'fast-check'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { AddEntry, AddOptions } from '../../src/backend.ts'
import { profiles, type UnixFsProfile } from '../../src/unixfs/profile.ts'
import { createLocalBackend, type LocalBackend } from '../../src/local/index.ts'
import { addAll, stream } from './support.ts'

/** Bytes without a pattern, the same for the same seed. */
function noise(length: number, seed: string): Buffer {
  return createHash('shake256', { outputLength: length }).update(seed).digest()
}

const nowhere = { put: async <T>(cid: T): Promise<T> => cid }

/** What the importer makes of the same upload: paths and CIDs. */
async function imported(
  files: readonly { readonly path: string; readonly content: Uint8Array }[],
  options: Parameters<typeof importer>[2],
): Promise<Map<string, string>> {
  const found = new Map<string, string>()
  const source = files.map(({ path, content }) => ({ path, content: stream(content) }))
  for await (const { path = '', cid } of importer(source, nowhere, { profile: 'unixfs-v0-2015', ...options })) {
    found.set(path, String(cid))
  }
  return found
}

async function added(
  backend: LocalBackend,
  entries: readonly AddEntry[],
  options: Partial<AddOptions>,
): Promise<Map<string, string>> {
  const events = await addAll(backend, entries, { ...options, onlyHash: true })
  return new Map(events.flatMap((event) => (event.type === 'added' ? [[event.path, String(event.cid)]] : [])))
}

let backend: LocalBackend
let dir: string
beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), 'wayleave-ipfs-'))
  backend = await createLocalBackend({ dir })
})
afterAll(async () => {
  await backend.close()
  await rm(dir, { recursive: true })
})

test('files of any size, cut and arranged in any way, have the CIDs that the importer gives them', async () => {
  const kind = fc.record({
    // 174 links a block: from one block to several layers of them, in chunks of a few bytes.
    length: fc.oneof(fc.integer({ min: 0, max: 400 }), fc.integer({ min: 0, max: 40_000 })),
    chunk: fc.integer({ min: 1, max: 64 }),
    rawLeaves: fc.boolean(),
    isTrickle: fc.boolean(),
    links: fc.oneof(fc.constant(174), fc.integer({ min: 2, max: 300 })),
    cidVersion: fc.constantFrom(0 as const, 1 as const),
  })
  await fc.assert(
    fc.asyncProperty(kind, async ({ length, chunk, rawLeaves, isTrickle, links, cidVersion }) => {
      const content = noise(length, `${length}`)
      const ours = await added(backend, [{ type: 'file', path: 'a', content: stream(content) }], {
        chunker: `size-${chunk}`,
        rawLeaves,
        trickle: isTrickle,
        maxFileLinks: links,
        cidVersion,
      })
      const theirs = await imported([{ path: 'a', content }], {
        chunker: fixedSize({ chunkSize: chunk }),
        rawLeaves,
        cidVersion,
        ...(isTrickle
          ? { layout: trickle({ maxChildrenPerNode: links }), leafType: 'raw' as const, reduceSingleLeafToSelf: false }
          : { layout: balanced({ maxChildrenPerNode: links }) }),
      })
      expect(ours).toEqual(theirs)
    }),
    { numRuns: 60 },
  )
})

test('directories with too many entries are sharded as the importer shards them, whatever the slots of a shard', async () => {
  const names = fc.uniqueArray(fc.string({ unit: 'grapheme', minLength: 1, maxLength: 12 }), {
    minLength: 2,
    maxLength: 600,
  })
  const isName = (name: string): boolean => !name.includes('/') && !name.includes('\\') && name !== '.' && name !== '..'
  await fc.assert(
    fc.asyncProperty(names, fc.integer({ min: 3, max: 10 }), async (all, bits) => {
      const files = all.filter(isName).map((name) => ({ path: `d/${name}`, content: Buffer.from(name) }))
      if (files.length < 2) return
      const entries = files.map(({ path, content }): AddEntry => ({ type: 'file', path, content: stream(content) }))
      const ours = await added(backend, entries, { maxDirectoryLinks: 1, maxHamtFanout: 2 ** bits })
      const theirs = await imported(files, { shardSplitThresholdBytes: 0, shardFanoutBits: bits })
      expect(ours).toEqual(theirs)
    }),
    { numRuns: 30 },
  )
})

test.each(['unixfs-v0-2015', 'unixfs-v1-2025'] as const)(
  'directories around 256 KiB are sharded where the importer shards them: %s',
  async (profile) => {
    for (const extra of [-1, 0, 1, 2, 40]) {
      const files = directoryOf(profile, 262_144 + extra)
      const entries = files.map(({ path, content }): AddEntry => ({ type: 'file', path, content: stream(content) }))
      const ours = await added(backend, entries, profiles[profile])
      expect([extra, ours]).toEqual([extra, await imported(files, { profile })])
    }
  },
)

/** A directory of empty files whose size, as the profile estimates it, is exactly `bytes`. */
function directoryOf(
  profile: UnixFsProfile,
  bytes: number,
): readonly { readonly path: string; readonly content: Uint8Array }[] {
  // Beside its name, an entry has a CID of 34 bytes; in a block a CID of 36, a size of 0, and 6 keys and lengths. The block itself has 4 more.
  const [own, each] = profile === 'unixfs-v1-2025' ? [4, 36 + 1 + 7] : [0, 34]
  const count = Math.floor((bytes - own) / (each + 50))
  const left = (bytes - own) % (each + 50)
  return Array.from({ length: count }, (_, at) => {
    const name = `${at}`.padStart(at < left ? 51 : 50, '-')
    return { path: `d/${name}`, content: new Uint8Array(0) }
  })
}

test.each([true, false])('modes and times give the CIDs that the importer gives, raw leaves: %s', async (rawLeaves) => {
  const of = { mode: 0o600, mtime: { secs: 1_700_000_000n, nsecs: 42 } }
  // Around one leaf that is not raw, the importer puts the encoded leaf where its content belongs.
  for (const content of [...(rawLeaves ? [noise(10, 'one chunk')] : []), noise(600, 'several')]) {
    const entries: AddEntry[] = [
      { type: 'file', path: 'a', content: stream(content), ...of },
      { type: 'directory', path: 'empty', mode: 0o711, mtime: { secs: -5n } },
    ]
    const options = { rawLeaves, cidVersion: 1 } as const
    const ours = await added(backend, entries, {
      ...options,
      chunker: 'size-100',
      preserveMode: true,
      preserveMtime: true,
    })
    const source = [
      { path: 'a', content: stream(content), ...of },
      { path: 'empty', mode: 0o711, mtime: { secs: -5n } },
    ]
    const theirs = new Map<string, string>()
    const importing = importer(source, nowhere, {
      ...options,
      profile: 'unixfs-v0-2015',
      chunker: fixedSize({ chunkSize: 100 }),
    })
    for await (const { path = '', cid } of importing) theirs.set(path, String(cid))
    expect(ours).toEqual(theirs)
  }
})
