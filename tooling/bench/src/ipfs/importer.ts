import { readFile } from 'node:fs/promises'
import { findPackageJSON } from 'node:module'
import { leafBytes, readContent } from './content.ts'
import type { Jobs } from './worker.ts'

/** Where its versions are pinned: what helia adds files with, plain. */
const owner = new URL('../../../../packages/ipfs-http/package.json', import.meta.url)

interface Store {
  open(): Promise<void>
  close(): Promise<void>
}

interface Importer {
  (source: AsyncIterable<object>, store: Store, options: object): AsyncIterable<{ readonly cid: object }>
}

interface Modules {
  readonly importer: Importer
  readonly fixedSize: (options: { chunkSize: number }) => object
  readonly balanced: (options: { maxChildrenPerNode: number }) => object
  readonly FsBlockstore: new (folder: string) => Store
}

/** Why it cannot be measured; undefined where it can. */
export function whyNoImporter(): string | undefined {
  const missing = ['ipfs-unixfs-importer', 'blockstore-fs'].filter((name) => findPackageJSON(name, owner) === undefined)
  return missing.length === 0 ? undefined : `${missing.join(' and ')} not installed`
}

/** `ipfs-unixfs-importer` into `blockstore-fs`, with their defaults but for what decides the CID. */
export async function importerRole(
  folder: string,
): Promise<Pick<{ [K in keyof Jobs]: (args: Jobs[K]) => Promise<string> }, 'add'> & { close(): Promise<void> }> {
  const { importer, fixedSize, balanced, FsBlockstore } = await loadModules()
  const store = new FsBlockstore(folder)
  await store.open()
  return {
    async add({ file }) {
      const source = [{ path: 'content', content: readContent(file, leafBytes) }]
      const shape = {
        cidVersion: 1,
        rawLeaves: true,
        reduceSingleLeafToSelf: true,
        chunker: fixedSize({ chunkSize: leafBytes }),
        layout: balanced({ maxChildrenPerNode: 174 }),
      }
      let cid = ''
      for await (const entry of importer(toAsync(source), store, shape)) cid = String(entry.cid)
      return cid
    },
    close: () => store.close(),
  }
}

async function* toAsync<T>(items: readonly T[]): AsyncGenerator<T, void, undefined> {
  yield* items
}

async function loadModules(): Promise<Modules> {
  const [{ importer }, { fixedSize }, { balanced }, { FsBlockstore }] = await Promise.all([
    load('ipfs-unixfs-importer', '.'),
    load('ipfs-unixfs-importer', './chunker'),
    load('ipfs-unixfs-importer', './layout'),
    load('blockstore-fs', '.'),
  ])
  return { importer, fixedSize, balanced, FsBlockstore } as unknown as Modules
}

/** This package does not depend on them: their owner's own are measured. */
async function load(name: string, entry: string): Promise<Readonly<Record<string, unknown>>> {
  const manifest = findPackageJSON(name, owner)!
  const { exports } = JSON.parse(await readFile(manifest, 'utf8')) as {
    exports: Readonly<Record<string, { readonly import: string }>>
  }
  return import(new URL(exports[entry]!.import, `file://${manifest}`).href) as Promise<
    Readonly<Record<string, unknown>>
  >
}
