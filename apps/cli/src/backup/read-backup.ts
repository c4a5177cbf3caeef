import { createHash } from 'node:crypto'
import { constants, createReadStream, createWriteStream, existsSync } from 'node:fs'
import { access, mkdir, readdir, rename, rm, rmdir } from 'node:fs/promises'
import { basename, dirname, join, resolve } from 'node:path'
import { Transform } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import { pipeline } from 'node:stream/promises'
import { systemClock } from '@wayleave/jsonrpc-core'
import { isSqliteInUse, migrationNames } from '@wayleave/stores'
import { extract, type Headers } from 'tar-stream'
import { BackupError, explainDisk } from './backup-error.ts'
import {
  createBlocksSum,
  fileNames,
  isBlockName,
  longestManifest,
  type Manifest,
  manifestName,
  readManifest,
} from './manifest.ts'
import { destinations, lockedFiles, type StatePlace } from './state-place.ts'
import { createTarGuard } from './tar-guard.ts'
import { syncFolder } from './write-backup.ts'

export interface RestoreOptions {
  /** Whether state that is there is moved aside. */
  readonly force: boolean
  readonly onBytes: (bytes: number) => void
  readonly signal: AbortSignal
}

export interface Restored {
  readonly manifest: Manifest
  /** Folders with the state that was there before. */
  readonly before: readonly string[]
}

/**
 * Puts the files of a backup in the places of a gateway that does not run. All of them are written beside their places and checked first; then
 * what is there is moved aside, and they are renamed.
 * @throws BackupError: the gateway runs, there is other state, the archive is torn or not as it was written, the disk is full
 */
export async function restoreBackup(file: string, place: StatePlace, options: RestoreOptions): Promise<Restored> {
  const { force, signal } = options
  await refuseUnreadable(file)
  await refuseRunning(place)
  const to = destinations(place, dirname(file))
  const staged = (name: string): string => join(dirname(to[name]!), `.restore-${process.pid}`, basename(to[name]!))
  const stages = new Set(Object.keys(to).map((name) => dirname(staged(name))))
  if (!force && (await isInUse(place, to))) {
    throw new BackupError(
      `there is state already in ${place.dataDir ?? place.sqlite}: --force moves it aside, and removes nothing`,
    )
  }
  // A killed process with this id may have left them.
  const clear = async (): Promise<void> => {
    for (const stage of stages) await rm(stage, { recursive: true, force: true })
  }
  // Missing folders are made here, and those that are made are removed again if nothing comes into them.
  const made: string[] = []
  try {
    await clear()
    for (const stage of stages)
      made.push(...foldersFrom(await mkdir(stage, { recursive: true, mode: 0o700 }), dirname(stage)))
    const { manifest, names } = await extractAll(file, staged, options)
    refuseOtherStore(place, file, names)
    await refuseRunning(place)
    signal.throwIfAborted()
    return { manifest, before: await replaceState(place, to, names, staged) }
  } catch (thrown) {
    signal.throwIfAborted()
    throw explainDisk(thrown, place.dataDir ?? file)
  } finally {
    await clear()
    for (const folder of made.toSorted((a, b) => b.length - a.length)) await rmdir(folder).catch(() => {})
  }
}

/** The folders from the first one that was made down to `last`. */
function foldersFrom(first: string | undefined, last: string): readonly string[] {
  if (first === undefined || !resolve(last).startsWith(resolve(first))) return []
  return resolve(last) === resolve(first) ? [last] : [...foldersFrom(first, dirname(last)), last]
}

/** Later the folder of the state would be named in place of the archive. */
async function refuseUnreadable(file: string): Promise<void> {
  try {
    await access(file, constants.R_OK)
  } catch (thrown) {
    const { code } = thrown as NodeJS.ErrnoException
    const why = code === 'ENOENT' ? 'there is no such file' : code
    throw new BackupError(`expected an archive that can be read, got ${file} (${why})`)
  }
}

async function refuseRunning(place: StatePlace): Promise<void> {
  for (const path of lockedFiles(place)) {
    if (await isSqliteInUse(path).catch(() => false)) {
      throw new BackupError(`a process has ${path} open: stop the gateway first`)
    }
  }
}

/** A database that the gateway would not read is not restored, though all else would be. */
function refuseOtherStore({ sqlite, postgres }: StatePlace, file: string, names: readonly string[]): void {
  const fault =
    names.includes('wayleave.sqlite') && sqlite === undefined
      ? 'an SQLite database, and store names another one'
      : names.includes('postgres.dump') && postgres === undefined
        ? 'a dump of PostgreSQL, and no store.postgres is configured'
        : undefined
  if (fault === undefined) return
  throw new BackupError(
    `${file} holds ${fault}: name a configuration with such a store by --config. Nothing was changed`,
  )
}

/** Whether there is anything that a restore would replace. */
async function isInUse({ dataDir }: StatePlace, to: Readonly<Record<string, string>>): Promise<boolean> {
  if (Object.values(to).some((path) => existsSync(path))) return true
  return dataDir !== undefined && existsSync(dataDir) && (await readdir(dataDir)).length > 0
}

interface Extracted {
  readonly manifest: Manifest
  /** The names in {@link destinations} that came. */
  readonly names: readonly string[]
}

async function extractAll(
  file: string,
  staged: (name: string) => string,
  { onBytes, signal }: RestoreOptions,
): Promise<Extracted> {
  const sums = new Map<string, string>()
  const blocks = createBlocksSum()
  const names = new Set<string>()
  let manifest: Manifest | undefined
  let bytes = 0
  const archive = extract()
  const guard = createTarGuard(() => broken(file, 'it holds what no backup does'))
  const reading = pipeline(createReadStream(file), guard, archive, { signal })
  // An entry that was cut off before its pipeline began would be waited for.
  const cutOff = new AbortController()
  reading.catch((thrown: unknown) => cutOff.abort(thrown))
  const either = AbortSignal.any([signal, cutOff.signal])
  try {
    for await (const entry of archive) {
      const {
        name,
        type,
        size = 0,
        pax,
      } = entry.header as Headers & { readonly pax: Readonly<Record<string, string>> | null }
      // A size in an extended header would count in place of the one that the guard has seen.
      if (manifest !== undefined || type !== 'file' || sums.has(name) || pax?.['size'] !== undefined)
        throw broken(file, 'it holds what no backup does')
      if (name === manifestName && size <= longestManifest) {
        manifest = readManifest(String(await buffer(entry)))
        if (manifest === undefined) throw broken(file, 'it is no backup of this version of wayleave')
        continue
      }
      const isBlock = isBlockName(name)
      if (!isBlock && !fileNames.has(name)) throw broken(file, 'it holds what no backup does')
      const path = isBlock ? join(staged('ipfs/blocks'), name.slice('ipfs/blocks/'.length)) : staged(name)
      names.add(isBlock ? 'ipfs/blocks' : name)
      await mkdir(dirname(path), { recursive: true, mode: 0o700 })
      const hash = createHash('sha256')
      const watched = new Transform({
        transform(chunk: Buffer, _encoding, done) {
          hash.update(chunk)
          onBytes((bytes += chunk.length))
          done(undefined, chunk)
        },
      })
      await pipeline(entry, watched, createWriteStream(path, { mode: 0o600, flush: !isBlock }), { signal: either })
      const sha256 = hash.digest('hex')
      if (isBlock) blocks.add(name, size, sha256)
      else sums.set(name, sha256)
    }
    await reading
  } catch (thrown) {
    signal.throwIfAborted()
    const { syscall } = thrown as NodeJS.ErrnoException
    throw thrown instanceof BackupError || syscall !== undefined ? thrown : broken(file, 'it is torn, or no archive')
  }
  if (manifest === undefined) throw broken(file, 'it is torn: its end is missing')
  const isWhole =
    manifest.files.length === sums.size &&
    manifest.files.every(({ path, sha256 }) => sums.get(path) === sha256) &&
    (manifest.blocks === undefined || manifest.blocks.sha256 === blocks.sum().sha256) &&
    (manifest.blocks !== undefined || !names.has('ipfs/blocks'))
  if (!isWhole) throw broken(file, 'its content is not what was written')
  const newer = manifest.migrations.find((name) => !migrationNames.includes(name))
  if (newer !== undefined) {
    throw new BackupError(`${file} was made by a newer version, ${manifest.wayleave}: restore it with that one`)
  }
  return { manifest, names: [...names] }
}

/**
 * Moves the state aside that is replaced, to folders beside it, and returns these; then renames what was staged. Where a step fails, all
 * is put back.
 */
async function replaceState(
  { dataDir }: StatePlace,
  to: Readonly<Record<string, string>>,
  names: readonly string[],
  staged: (name: string) => string,
): Promise<readonly string[]> {
  const paths = names.map((name) => to[name]!)
  if (names.includes('wayleave.sqlite')) {
    paths.push(...['-wal', '-shm', '.reserve'].map((suffix) => `${to['wayleave.sqlite']}${suffix}`))
    // Usage on its way to the database that was there belongs to that one.
    if (dataDir !== undefined) paths.push(join(dataDir, 'usage.spool'))
  }
  const stamp = `before-restore-${systemClock.date()}`
  const before = new Set<string>()
  const done: (readonly [string, string])[] = []
  const move = async (from: string, place: string): Promise<void> => {
    await rename(from, place)
    done.push([from, place])
  }
  try {
    for (const path of paths) {
      if (!existsSync(path)) continue
      const aside = join(dirname(path), stamp)
      await mkdir(aside, { recursive: true, mode: 0o700 })
      before.add(aside)
      await move(path, join(aside, basename(path)))
    }
    for (const name of names) {
      await move(staged(name), to[name]!)
      await syncFolder(dirname(to[name]!))
    }
  } catch (thrown) {
    for (const [from, place] of done.toReversed()) await rename(place, from)
    for (const aside of before) await rmdir(aside)
    throw thrown
  }
  return [...before]
}

function broken(file: string, why: string): BackupError {
  return new BackupError(`${file} cannot be restored: ${why}. Nothing was changed; take another backup`)
}
