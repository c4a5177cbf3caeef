import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { onTestFinished } from 'vitest'
import type { AddEntry, AddEvent, AddOptions, ByteStream } from '../../src/backend.ts'
import { profiles } from '../../src/unixfs/profile.ts'
import { createLocalBackend, type LocalBackend, type LocalBackendOptions } from '../../src/local/index.ts'

/** What Kubo assumes where nothing is said. */
export const kuboOptions: AddOptions = {
  ...profiles['unixfs-v0-2015'],
  hash: 'sha2-256',
  emptyDirs: true,
  trickle: false,
  inline: false,
  inlineLimit: 32,
  wrapWithDirectory: false,
  pin: true,
  onlyHash: false,
  preserveMode: false,
  preserveMtime: false,
  progress: false,
}

export const call = (): { readonly signal: AbortSignal } => ({ signal: new AbortController().signal })

export async function tempFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'wayleave-ipfs-'))
  onTestFinished(() => rm(folder, { recursive: true, force: true }))
  return folder
}

export async function openTemp(options: Partial<LocalBackendOptions> = {}): Promise<LocalBackend & { dir: string }> {
  const dir = options.dir ?? (await tempFolder())
  const backend = await createLocalBackend({ dir, ...options })
  onTestFinished(() => backend.close())
  return { ...backend, dir }
}

export async function* stream(...parts: readonly Uint8Array[]): ByteStream {
  yield* parts
}

export function file(path: string, ...parts: readonly (string | Uint8Array)[]): AddEntry {
  return { type: 'file', path, content: stream(...parts.map((part) => Buffer.from(part))) }
}

/** What an iteration yields, as an array. */
export async function all<T>(items: AsyncIterable<T>): Promise<T[]> {
  const found: T[] = []
  for await (const item of items) found.push(item)
  return found
}

export async function* entriesOf(...entries: readonly AddEntry[]): AsyncGenerator<AddEntry> {
  yield* entries
}

export async function addAll(
  backend: LocalBackend,
  entries: readonly AddEntry[],
  options: Partial<AddOptions> = {},
): Promise<AddEvent[]> {
  return all(backend.add(entriesOf(...entries), { ...kuboOptions, ...options }, call()))
}

/** What a pin of the upload would hold; the last one where there are several. */
export function rootOf(events: readonly AddEvent[]): Extract<AddEvent, { type: 'root' }>['cid'] {
  return events.findLast((event) => event.type === 'root')!.cid
}

export async function textOf(
  backend: LocalBackend,
  cid: ReturnType<typeof rootOf>,
  ...segments: string[]
): Promise<string> {
  return (await bytesOf(backend, cid, ...segments)).toString()
}

export async function bytesOf(
  backend: LocalBackend,
  cid: ReturnType<typeof rootOf>,
  ...segments: string[]
): Promise<Buffer> {
  const { bytes } = await backend.cat({ cid, segments }, { offset: 0n, length: undefined }, call())
  return Buffer.concat(await all(bytes))
}
