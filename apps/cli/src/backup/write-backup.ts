import { createHash } from 'node:crypto'
import { createReadStream, createWriteStream, existsSync } from 'node:fs'
import { type FileHandle, mkdtemp, open, readdir, rename, rm, stat } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { Transform } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { systemClock } from '@wayleave/jsonrpc-core'
import { copySqlite, dropLostPins, inspectStore } from '@wayleave/stores'
import { type Pack, pack } from 'tar-stream'
import { isoOf } from '../accounts/moments.ts'
import { ownVersion } from '../own-version.ts'
import { BackupError, explainDisk } from './backup-error.ts'
import { createBlocksSum, isBlockName, type Manifest, manifestName } from './manifest.ts'
import { runPgDump } from './pg-dump.ts'
import { destinations, type StatePlace } from './state-place.ts'

export interface BackupOptions {
  readonly withIpfs: boolean
  readonly withPostgres: boolean
  /** Whether a file of that name is replaced. */
  readonly force: boolean
  readonly env: Readonly<Record<string, string | undefined>>
  /** Called with the bytes that were read so far. */
  readonly onBytes: (bytes: number) => void
  readonly signal: AbortSignal
}

/** File systems keep times in steps of up to two seconds, in ms. */
const timeStep = 2_000
/** Longest block that is read in one piece, in bytes; there are none that are longer. */
const longestBlock = 64 * 1_048_576

/**
 * Writes a backup into one file, a tar archive, while the gateway serves. It is written beside it, synced and renamed: there is a whole one,
 * or none. The database is copied as it stands at one moment. With blocks, it has the pins that were there from then on until all blocks
 * were read, so that no pin lacks any.
 * @throws BackupError, StoresError
 */
export async function writeBackup(place: StatePlace, file: string, options: BackupOptions): Promise<Manifest> {
  const { force, signal } = options
  if (!force && existsSync(file))
    throw new BackupError(`${file} is there already: name another file, or replace it by --force`)
  const archive = pack()
  let work: string | undefined
  try {
    // Beside the archive, so that it can be renamed, and where there is room for it.
    work = await mkdtemp(join(dirname(file), '.wayleave-backup-'))
    const [part, copy, dump] = ['archive.tar', 'copy.sqlite', 'dump'].map((name) => join(work!, name)) as [
      string,
      string,
      string,
    ]
    const output = createWriteStream(part, { flags: 'wx', mode: 0o600, flush: true })
    const written = pipeline(archive, output, { signal })
    const adding = addAll(archive, place, { copy, dump }, options)
    // Either failure ends `written`; what the other side then says follows from it.
    adding.catch((thrown: unknown) => archive.destroy(thrown as Error))
    await written
    const added = await adding
    await rename(part, file)
    await syncFolder(dirname(file))
    return added
  } catch (thrown) {
    signal.throwIfAborted()
    throw explainUnlessOurs(thrown, file)
  } finally {
    if (work !== undefined) await rm(work, { recursive: true, force: true })
  }
}

async function addAll(
  archive: Pack,
  place: StatePlace,
  { copy, dump }: { readonly copy: string; readonly dump: string },
  { withIpfs, withPostgres, env, onBytes, signal }: BackupOptions,
): Promise<Manifest> {
  const { sqlite, postgres } = place
  const from = destinations(place, '.')
  const files: Manifest['files'][number][] = []
  let bytes = 0
  const counted = (more: number): void => onBytes((bytes += more))
  const add = async (name: string, path: string): Promise<void> => {
    if (!existsSync(path)) return
    files.push(await addFile(archive, name, path, counted, signal))
  }

  const begunAt = systemClock.date()
  const hasDatabase = sqlite !== undefined && existsSync(sqlite)
  if (hasDatabase) await copySqlite(sqlite, copy)
  if (postgres !== undefined && withPostgres) await runPgDump(postgres, dump, env, signal)
  const blocks = withIpfs ? createBlocksSum() : undefined
  if (blocks !== undefined) {
    const addBlocks = (since: number): Promise<void> =>
      addBlocksOf(archive, from['ipfs/blocks']!, since, { blocks, counted, signal })
    await addBlocks(0)
    if (hasDatabase) await dropLostPins(copy, sqlite)
    // A pin that was removed and put again meanwhile may have new blocks.
    await addBlocks(begunAt - timeStep)
    await add('ipfs/identity', from['ipfs/identity']!)
  }
  const migrations = hasDatabase ? (await inspectStore({ sqlite: copy })).applied : []
  await add('wayleave.sqlite', copy)
  await add('postgres.dump', dump)
  await add('chains.json', from['chains.json']!)
  await add('key', from['key']!)
  const manifest: Manifest = {
    format: 'wayleave-backup',
    version: 1,
    wayleave: ownVersion(),
    at: isoOf(begunAt)!,
    migrations,
    files,
    ...(blocks !== undefined && { blocks: blocks.sum() }),
  }
  await addBuffer(archive, manifestName, Buffer.from(`${JSON.stringify(manifest, undefined, 2)}\n`))
  archive.finalize()
  return manifest
}

/** Adds a file that nobody changes. */
async function addFile(
  archive: Pack,
  name: string,
  path: string,
  counted: (bytes: number) => void,
  signal: AbortSignal,
) {
  const { size } = await stat(path)
  const hash = createHash('sha256')
  const watched = new Transform({
    transform(chunk: Buffer, _encoding, done) {
      hash.update(chunk)
      counted(chunk.length)
      done(undefined, chunk)
    },
  })
  await pipeline(createReadStream(path), watched, archive.entry({ name, size, mode: 0o600 }), { signal })
  return { path: name, bytes: size, sha256: hash.digest('hex') }
}

interface BlockSink {
  readonly blocks: ReturnType<typeof createBlocksSum>
  readonly counted: (bytes: number) => void
  readonly signal: AbortSignal
}

/** Adds the blocks of a folder that were written since then, in ms since the epoch. Blocks that are removed meanwhile are left out. */
async function addBlocksOf(
  archive: Pack,
  folder: string,
  since: number,
  { blocks, counted, signal }: BlockSink,
): Promise<void> {
  for (const inner of await readdirIfThere(folder)) {
    for (const file of await readdirIfThere(join(folder, inner))) {
      signal.throwIfAborted()
      const name = `ipfs/blocks/${inner}/${file}`
      if (!isBlockName(name)) continue
      const bytes = await readBlock(join(folder, inner, file), since)
      if (bytes === undefined) continue
      await addBuffer(archive, name, bytes)
      blocks.add(name, bytes.length, createHash('sha256').update(bytes).digest('hex'))
      counted(bytes.length)
    }
  }
}

async function readBlock(path: string, since: number): Promise<Buffer | undefined> {
  let handle: FileHandle | undefined
  try {
    handle = await open(path)
    const { size, ctimeMs } = await handle.stat()
    if (ctimeMs < since || size > longestBlock) return undefined
    return await handle.readFile()
  } catch (thrown) {
    if ((thrown as NodeJS.ErrnoException).code === 'ENOENT') return undefined
    throw thrown
  } finally {
    await handle?.close()
  }
}

/** Adds bytes, and waits until the archive has taken them. */
async function addBuffer(archive: Pack, name: string, bytes: Buffer): Promise<void> {
  await new Promise<void>((resolve, reject) => {
    const entry = archive.entry({ name, size: bytes.length, mode: 0o600 }, (why) => (why ? reject(why) : resolve()))
    entry.on('error', reject)
    entry.end(bytes)
  })
}

async function readdirIfThere(folder: string): Promise<readonly string[]> {
  try {
    return await readdir(folder)
  } catch (thrown) {
    if (['ENOENT', 'ENOTDIR'].includes((thrown as NodeJS.ErrnoException).code ?? '')) return []
    throw thrown
  }
}

/** Makes a new name survive a crash. */
export async function syncFolder(path: string): Promise<void> {
  const folder = await open(path, 'r')
  try {
    await folder.sync()
  } finally {
    await folder.close()
  }
}

function explainUnlessOurs(thrown: unknown, file: string): unknown {
  return thrown instanceof Error && thrown.name === 'StoresError' ? thrown : explainDisk(thrown, file)
}
