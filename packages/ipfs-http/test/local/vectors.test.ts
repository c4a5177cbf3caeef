import { createCipheriv, createHash } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { base32 } from 'multiformats/bases/base32'
import { expect, test } from 'vitest'
import type { AddEntry, AddEvent, AddOptions } from '../../src/backend.ts'
import { addAll, bytesOf, kuboOptions, openTemp, rootOf } from './support.ts'

interface Content {
  readonly text?: string
  readonly b64?: string
  readonly repeat?: readonly [string, number]
  readonly zeros?: number
  readonly chacha?: readonly [string, number]
}

interface FileVector {
  readonly name: string
  readonly content: Content
  readonly query: Readonly<Record<string, string>>
  readonly cid: string | null
  readonly size?: string
  readonly large?: boolean
}

interface DirectoryVector {
  readonly name: string
  readonly files: readonly (readonly [string, Content])[] | { readonly generate: string }
  readonly query: Readonly<Record<string, string>>
  readonly entries: Readonly<Record<string, string>>
  readonly sizes?: Readonly<Record<string, string>>
}

const url = new URL('../vectors/cid-vectors.json', import.meta.url)
const vectors = JSON.parse(await readFile(url, 'utf8')) as {
  readonly files: readonly FileVector[]
  readonly directories: readonly DirectoryVector[]
}

function contentOf({ text, b64, repeat, zeros, chacha }: Content): Buffer {
  if (b64 !== undefined) return Buffer.from(b64, 'base64')
  if (repeat !== undefined) return Buffer.from(repeat[0].repeat(repeat[1]))
  if (zeros !== undefined) return Buffer.alloc(zeros)
  if (chacha === undefined) return Buffer.from(text ?? '')
  const key = createHash('sha256').update(chacha[0]).digest()
  return createCipheriv('chacha20', key, Buffer.alloc(16)).update(Buffer.alloc(chacha[1]))
}

/** In parts whose sizes have nothing to do with those of chunks. */
function fileOf(path: string, content: Buffer): AddEntry {
  async function* parts(): AsyncGenerator<Uint8Array> {
    for (let at = 0, size = 1; at < content.length; at += size, size = Math.min(3 * size, 100_003)) {
      yield content.subarray(at, at + size)
    }
  }
  return { type: 'file', path, content: parts() }
}

/** As the server reads the query. */
function optionsOf(query: Readonly<Record<string, string>>): AddOptions {
  const hash = query['hash'] ?? 'sha2-256'
  const cidVersion = query['cid-version'] === '1' || hash !== 'sha2-256' ? 1 : 0
  return {
    ...kuboOptions,
    hash,
    cidVersion,
    chunker: query['chunker'] ?? 'size-262144',
    rawLeaves: query['raw-leaves'] === undefined ? cidVersion === 1 : query['raw-leaves'] === 'true',
    trickle: query['trickle'] === 'true',
    inline: query['inline'] === 'true',
    inlineLimit: Number(query['inline-limit'] ?? 32),
    wrapWithDirectory: query['wrap-with-directory'] === 'true',
  }
}

function addedAs(events: readonly AddEvent[], path: string): { cid: string; size: string } | undefined {
  const event = events.findLast((each) => each.type === 'added' && each.path === path)
  return event?.type === 'added' ? { cid: String(event.cid), size: String(event.size) } : undefined
}

test('there are 49 files and 12 directories to compare with', () => {
  expect([vectors.files.length, vectors.directories.length]).toEqual([49, 12])
})

test.each(vectors.files)(
  'a file has the CID that Kubo gives it: $name',
  async ({ content, query, cid, size, large }) => {
    const backend = await openTemp()
    const bytes = contentOf(content)
    const events = await addAll(backend, [fileOf('', bytes)], { ...optionsOf(query), onlyHash: large === true })
    const [added] = events
    if (added?.type !== 'added') throw new Error('expected an event')
    const named = query['cid-base'] === 'base32' ? added.cid.toV1().toString(base32) : String(added.cid)
    if (cid !== null) expect(named).toBe(cid)
    if (size !== undefined) expect(String(added.size)).toBe(size)
    if (large !== true) expect(bytes.equals(await bytesOf(backend, rootOf(events)))).toBe(true)
  },
)

test.each(vectors.directories)('a directory has the CIDs that Kubo gives it: $name', async (vector) => {
  const backend = await openTemp()
  const files = Array.isArray(vector.files)
    ? vector.files.map(([path, content]) => fileOf(path, contentOf(content)))
    : Array.from({ length: 1005 }, (_, i) => fileOf(`test-folder/${i}`, Buffer.from(`some content ${i}`)))
  const events = await addAll(backend, files, optionsOf(vector.query))
  for (const [path, cid] of Object.entries(vector.entries))
    expect([path, addedAs(events, path)?.cid]).toEqual([path, cid])
  for (const [path, size] of Object.entries(vector.sizes ?? {})) expect(addedAs(events, path)?.size).toBe(size)
})
