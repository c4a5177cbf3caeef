import type { CID } from 'multiformats/cid'
import type { AddEntry, AddEvent, AddOptions } from '../../backend.ts'
import { IpfsError } from '../../error.ts'
import { fromGoMode } from '../../unixfs/from-go-mode.ts'
import { toGoMode } from '../../unixfs/go-mode.ts'
import { type ProfileOptions, profiles, type UnixFsProfile } from '../../unixfs/profile.ts'
import { lines } from '../answers.ts'
import type { Call, Command } from '../call.ts'
import { cidWriter } from '../ipfs-path.ts'
import { allOrNone, createRootPins, newPins, pinName, type RootPins } from '../pins.ts'
import { openUpload } from '../upload.ts'
import { withRest } from '../with-rest.ts'

/** `POST /api/v0/add`. Source: Kubo `core/commands/add.go`. */
export const add: Command = {
  stores: true,
  options: {
    chunker: 'string',
    'cid-version': 'int',
    'dereference-args': 'bool',
    'dereference-symlinks': 'bool',
    'empty-dirs': 'bool',
    fscache: 'bool',
    hash: 'string',
    hidden: 'bool',
    inline: 'bool',
    'inline-limit': 'int',
    'max-directory-links': 'int',
    'max-file-links': 'int',
    'max-hamt-fanout': 'int',
    mode: 'uint',
    mtime: 'int64',
    'mtime-nsecs': 'uint',
    nocopy: 'bool',
    'only-hash': 'bool',
    pin: 'bool',
    'pin-name': 'string',
    'preserve-mode': 'bool',
    'preserve-mtime': 'bool',
    profile: 'string',
    progress: 'bool',
    quiet: 'bool',
    quieter: 'bool',
    'raw-leaves': 'bool',
    recursive: 'bool',
    silent: 'bool',
    'to-files': 'string',
    trickle: 'bool',
    'wrap-with-directory': 'bool',
  },
  short: {
    E: 'empty-dirs',
    H: 'hidden',
    n: 'only-hash',
    p: 'progress',
    q: 'quiet',
    Q: 'quieter',
    r: 'recursive',
    s: 'chunker',
    t: 'trickle',
    w: 'wrap-with-directory',
  },
  async run(call) {
    const body = await openUpload(call, 'path')
    const { options } = call
    const asked = readPlan(call)
    const isPinned = asked.options.pin
    const name = pinName(options.string('pin-name'))
    if (options.string('pin-name') !== undefined && !isPinned) {
      throw new IpfsError('bad_argument', 'pin-name option requires pin to be set')
    }
    if (!asked.options.onlyHash) call.storage.mayStore()
    const first = await body.next()
    // Kubo's Go client sends a directory so: without a name, and followed by its entries.
    const isNameless = first.done !== true && isNamelessDirectory(first.value)
    const plan = isNameless ? { ...asked, options: { ...asked.options, wrapWithDirectory: true } } : asked
    const pins = newPins(call)
    const work = addLines(call, resumed(first, body), plan, isPinned ? createRootPins(call, pins, name) : undefined)
    return lines(allOrNone(pins, work), { eager: plan.options.progress })
  },
}

function isNamelessDirectory({ type, path }: AddEntry): boolean {
  return type === 'directory' && path === ''
}

/** Yields a first step that was already taken, and then the rest. */
async function* resumed<T>(
  first: IteratorResult<T, unknown>,
  rest: AsyncGenerator<T, void, undefined>,
): AsyncGenerator<T, void, undefined> {
  try {
    if (first.done !== true) yield first.value
    yield* rest
  } finally {
    await rest.return()
  }
}

/** An upload as its query asks for it. */
interface AddPlan {
  readonly options: AddOptions
  /** Replaces the mode of each entry, if the query sets one; so does `mtime`. */
  readonly mode: number | undefined
  readonly mtime: AddEntry['mtime']
}

function readPlan({ options }: Call): AddPlan {
  refuseUnsupported(options)
  const hash = (options.string('hash') || 'sha2-256').toLowerCase()
  const profile = profileOf(options.string('profile'))
  const base = profile ?? profiles['unixfs-v0-2015']
  const asked = options.int('cid-version') ?? (profile && BigInt(profile.cidVersion))
  if (asked !== undefined && asked > 1n) throw bad(`unknown CID version: ${asked}`)
  if (asked === 0n && hash !== 'sha2-256') throw bad('CIDv0 only supports sha2-256')
  const cidVersion = asked === 1n || hash !== 'sha2-256' ? 1 : 0
  const mode = fromGoMode(Number(BigInt.asUintN(32, options.int('mode') ?? 0n))) || undefined
  const mtime = mtimeOf(options.int('mtime'), options.int('mtime-nsecs'))
  const preserveMode = options.bool('preserve-mode') === true || mode !== undefined
  const preserveMtime = options.bool('preserve-mtime') === true || mtime !== undefined
  const rawLeaves = options.bool('raw-leaves')
  const onlyHash = options.bool('only-hash') ?? false
  // Raw blocks cannot hold a mode or a time.
  const hasMetadata = preserveMode || preserveMtime
  if (hasMetadata && rawLeaves === true) {
    throw bad(`raw-leaves can't be used with UnixFS metadata like mode or modification time`)
  }
  return {
    mode,
    mtime,
    options: {
      cidVersion,
      hash,
      chunker: options.string('chunker') || base.chunker,
      rawLeaves: hasMetadata ? false : (rawLeaves ?? profile?.rawLeaves ?? cidVersion === 1),
      maxFileLinks: limitOf(options.int('max-file-links'), base.maxFileLinks),
      maxDirectoryLinks: limitOf(options.int('max-directory-links'), base.maxDirectoryLinks),
      maxHamtFanout: Number(options.int('max-hamt-fanout') ?? base.maxHamtFanout),
      sizeEstimation: base.sizeEstimation,
      emptyDirs: options.bool('empty-dirs') ?? true,
      trickle: options.bool('trickle') ?? false,
      inline: options.bool('inline') ?? false,
      inlineLimit: options.bool('inline') === true ? inlineLimitOf(options.int('inline-limit')) : 32,
      wrapWithDirectory: options.bool('wrap-with-directory') ?? false,
      onlyHash,
      pin: (options.bool('pin') ?? true) && !onlyHash,
      preserveMode,
      preserveMtime,
      progress: options.bool('progress') ?? false,
    },
  }
}

/** Throws `unsupported` for options that need the caller's disk or a namespace, or that would change a CID if they were ignored. */
function refuseUnsupported(options: Call['options']): void {
  for (const name of ['nocopy', 'fscache']) {
    if (options.bool(name) === true) {
      throw new IpfsError('unsupported', `${name} needs files on the disk of the service: leave it out`)
    }
  }
  if (options.string('to-files') !== undefined) {
    throw new IpfsError(
      'unsupported',
      'to-files needs a mutable file system, which this service has not: leave it out, and pin the CID',
    )
  }
}

/** The profile of a name; undefined if none is asked for. */
function profileOf(name: string | undefined): ProfileOptions | undefined {
  if (name === undefined || name === '') return undefined
  if (Object.hasOwn(profiles, name)) return profiles[name as UnixFsProfile]
  throw bad(`expected the profile to be one of ${Object.keys(profiles).join(', ')}, came ${name}`)
}

/** A limit of links; as in Kubo, 0 and less are its usual value. */
function limitOf(asked: bigint | undefined, usual: number): number {
  return asked === undefined || asked <= 0n ? usual : Number(asked)
}

function inlineLimitOf(limit: bigint | undefined): number {
  if (limit === undefined) return 32
  if (limit > 128n) throw bad(`inline-limit ${limit} exceeds maximum allowed size of 128 bytes`)
  return Math.max(0, Number(limit))
}

function mtimeOf(secs: bigint | undefined, nsecs: bigint | undefined): AddEntry['mtime'] {
  if (secs === undefined || secs === 0n) {
    if (nsecs !== undefined && nsecs !== 0n) throw bad('option "mtime-nsecs" requires "mtime" to be provided as well')
    return undefined
  }
  if ((nsecs ?? 0n) > 999_999_999n) throw bad('mtime nanoseconds must be in range [1, 999999999]')
  return { secs, nsecs: Number(nsecs ?? 0n) }
}

function bad(message: string): IpfsError {
  return new IpfsError('bad_argument', message)
}

/** The part of an upload that the backend has read so far. */
interface Upload {
  entries: number
  isWhole: boolean
  /** Directories that were sent or that names imply; empty if nothing depends on them. */
  readonly directories: Set<string>
}

async function* addLines(
  call: Call,
  body: AsyncIterable<AddEntry>,
  plan: AddPlan,
  rootPins: RootPins | undefined,
): AsyncGenerator<object, void, undefined> {
  const { backend, backendCall, options } = call
  const write = cidWriter(options)
  const isSilent = options.bool('silent') === true
  const isWrapped = plan.options.wrapWithDirectory
  const upload: Upload = { entries: 0, isWhole: false, directories: new Set() }

  async function* entries(): AsyncGenerator<AddEntry, void, undefined> {
    yield* plannedEntries(body, plan, upload, isSilent)
    upload.isWhole = true
    await rootPins?.bodyEnded()
  }

  // A backend that pins as it adds may have pinned more roots than were read from it.
  const events = withRest(backend.add(entries(), plan.options, backendCall), (late) => {
    if (late.type === 'root') rootPins?.addUnpinned(late)
  })
  try {
    for await (const event of events) {
      if (event.type === 'root' && event.isReplaced === true) rootPins?.addUnpinned(event)
      else if (event.type === 'root') await rootPins?.add(event)
      // As in Kubo, a silent upload still has lines for its directories.
      else if (event.type === 'progress' || !isSilent || upload.directories.has(event.path))
        yield lineOf(event, write, isWrapped)
    }
    if (!upload.isWhole) throw new Error('the backend ended before the upload did')
  } finally {
    await rootPins?.releaseRest()
  }
  if (upload.entries === 0) throw bad('expected a file argument')
}

/** Yields the entries of a body with the mode and time that the query sets, and counts them in `upload`. */
async function* plannedEntries(
  body: AsyncIterable<AddEntry>,
  { options, mode, mtime }: AddPlan,
  upload: Upload,
  needsDirectories: boolean,
): AsyncGenerator<AddEntry, void, undefined> {
  const { directories } = upload
  const hasAttributes = mode !== undefined || mtime !== undefined
  for await (const entry of body) {
    upload.entries++
    // As the first entry, it is the directory that wraps the others.
    if (isNamelessDirectory(entry) && upload.entries > 1) continue
    if (hasAttributes || needsDirectories) {
      for (const path of impliedBy(entry, options.wrapWithDirectory)) {
        if (directories.has(path)) continue
        directories.add(path)
        // As in Kubo, directories that names imply get the mode and time too.
        if (hasAttributes) yield { type: 'directory', path, mode, mtime }
      }
      if (entry.type === 'directory') directories.add(entry.path)
    }
    yield { ...entry, mode: mode ?? entry.mode, mtime: mtime ?? entry.mtime }
  }
}

/** The directories that contain an entry, outermost first. */
function impliedBy(entry: AddEntry, isWrapped: boolean): readonly string[] {
  if (isNamelessDirectory(entry)) return []
  const segments = entry.path.split('/').slice(0, -1)
  const named = segments.map((_, at) => segments.slice(0, at + 1).join('/'))
  return isWrapped ? ['', ...named] : named
}

function lineOf(event: Exclude<AddEvent, { type: 'root' }>, write: (cid: CID) => string, isWrapped: boolean): object {
  if (event.type === 'progress') return { Name: event.path, ...(event.bytes !== 0 && { Bytes: event.bytes }) }
  const { path, cid, size, mode, mtime } = event
  return {
    Name: path === '' && !isWrapped ? String(cid) : path,
    Hash: write(cid),
    Size: String(size),
    ...(mode === undefined || mode === 0 ? {} : { Mode: `0${toGoMode(mode).toString(8)}` }),
    ...(mtime === undefined || mtime.secs === 0n ? {} : { Mtime: Number(mtime.secs) }),
    ...(mtime?.nsecs === undefined || mtime.nsecs === 0 ? {} : { MtimeNsecs: mtime.nsecs }),
  }
}
