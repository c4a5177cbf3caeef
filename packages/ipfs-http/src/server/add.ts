import type { CID } from 'multiformats/cid'
import type { AddEntry, AddEvent, AddOptions, ByteStream } from '../backend.ts'
import { IpfsError } from '../error.ts'
import { fromGoMode, toGoMode } from '../unixfs/go-mode.ts'
import { lines } from './answers.ts'
import type { Call, Command } from './call.ts'
import { readEntries } from './entries.ts'
import { cidWriter } from './ipfs-path.ts'
import { boundaryOf } from './multipart.ts'
import { allOrNone, mayStore, type NewPins, newPins, pinName, releaseUnpinned } from './pins.ts'
import { refusal } from './refusal.ts'
import { withRest } from './with-rest.ts'

/** `POST /api/v0/add`. Source: Kubo `core/commands/add.go`. */
export const add: Command = {
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
    if (isPinned) await mayStore(call)
    const first = await body.next()
    // As Kubo's Go client sends a directory: it has no name, and what follows lies in it.
    const isNameless = first.done !== true && isNamelessDirectory(first.value)
    const plan = isNameless ? { ...asked, options: { ...asked.options, wrapWithDirectory: true } } : asked
    const pins = newPins(call)
    const work = addLines(call, resumed(first, body), plan, isPinned ? { pins, name } : undefined)
    return lines(allOrNone(pins, work), { eager: plan.options.progress })
  },
}

function isNamelessDirectory({ type, path }: AddEntry): boolean {
  return type === 'directory' && path === ''
}

/** An iteration whose first step was taken. */
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

/** The parts of a multipart body as a stream of entries. Rejects with 400 where there is none. */
export async function openUpload(call: Call, argument: string): Promise<AsyncGenerator<AddEntry, void, undefined>> {
  const boundary = boundaryOf(call.contentType)
  if (boundary === undefined) throw refusal(400, `file argument '${argument}' is required\n`)
  return readEntries(await call.upload(), boundary)
}

interface AddPlan {
  readonly options: AddOptions
  /** For every entry, where the query gives them. */
  readonly mode: number | undefined
  readonly mtime: AddEntry['mtime']
}

function readPlan({ options }: Call): AddPlan {
  refuseUnsupported(options)
  const hash = (options.string('hash') || 'sha2-256').toLowerCase()
  const asked = options.int('cid-version')
  if (asked !== undefined && asked > 1n) throw bad(`unknown CID version: ${asked}`)
  if (asked === 0n && hash !== 'sha2-256') throw bad('CIDv0 only supports sha2-256')
  const cidVersion = asked === 1n || hash !== 'sha2-256' ? 1 : 0
  const mode = fromGoMode(Number(BigInt.asUintN(32, options.int('mode') ?? 0n))) || undefined
  const mtime = mtimeOf(options.int('mtime'), options.int('mtime-nsecs'))
  const preserveMode = options.bool('preserve-mode') === true || mode !== undefined
  const preserveMtime = options.bool('preserve-mtime') === true || mtime !== undefined
  const rawLeaves = options.bool('raw-leaves')
  const onlyHash = options.bool('only-hash') ?? false
  // A raw block has no place for them.
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
      chunker: options.string('chunker') || 'size-262144',
      rawLeaves: hasMetadata ? false : (rawLeaves ?? cidVersion === 1),
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

/** What would need the caller's own disk or a place of its own, or would change a CID if it were ignored. */
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
  if (options.bool('empty-dirs') === false) {
    throw new IpfsError('unsupported', 'empty-dirs is always true here: leave the directories out')
  }
  for (const [name, usual] of [
    ['max-file-links', 174n],
    ['max-directory-links', 0n],
    ['max-hamt-fanout', 256n],
  ] as const) {
    if ((options.int(name) ?? usual) !== usual) {
      throw new IpfsError('unsupported', `${name} is always ${usual} here: leave it out`)
    }
  }
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

interface Keeping {
  readonly pins: NewPins
  readonly name: string | undefined
}

type Root = Extract<AddEvent, { type: 'root' }>

async function* addLines(
  call: Call,
  body: AsyncIterable<AddEntry>,
  plan: AddPlan,
  keeping: Keeping | undefined,
): AsyncGenerator<object, void, undefined> {
  const { backend, backendCall, options } = call
  const write = cidWriter(options)
  const isSilent = options.bool('silent') === true
  // As Kubo: silent uploads tell of them all the same.
  const directories = new Set<string>()
  // Roots that were told while more of the body was to come: it may still turn out to be broken.
  const early: Root[] = []
  const told = new Set<string>()
  const isWrapped = plan.options.wrapWithDirectory
  let isComplete = false
  let entries = 0

  async function* withPlan(): AsyncGenerator<AddEntry, void, undefined> {
    for await (const entry of body) {
      entries++
      // Where it comes first, it is the directory that wraps the others.
      if (isNamelessDirectory(entry) && entries > 1) continue
      const implied = impliedBy(entry, isWrapped)
      if (isSilent)
        for (const path of entry.type === 'directory' ? [...implied, entry.path] : implied) directories.add(path)
      // Kubo gives them to the directories that names imply, too.
      if (plan.mode !== undefined || plan.mtime !== undefined)
        for (const path of implied) {
          if (told.has(path)) continue
          told.add(path)
          yield { type: 'directory', path, mode: plan.mode, mtime: plan.mtime }
        }
      if (entry.type === 'directory') told.add(entry.path)
      yield { ...entry, mode: plan.mode ?? entry.mode, mtime: plan.mtime ?? entry.mtime }
    }
    isComplete = true
    // The backend may tell nothing more, and forget what nobody pins.
    for (; early.length > 0; early.shift()) await keep(early[0]!)
  }

  async function keep({ cid, size }: Root): Promise<void> {
    await keeping?.pins.put({ cid, type: 'recursive', name: keeping.name, bytes: size })
  }

  // A backend that pins as it goes may have more to tell of than was heard.
  const events = withRest(backend.add(withPlan(), plan.options, backendCall), (late) => {
    if (late.type === 'root') early.push(late)
  })
  try {
    for await (const event of events) {
      if (event.type === 'root') {
        if (isComplete) await keep(event)
        else early.push(event)
      } else if (event.type === 'progress' || !isSilent || directories.has(event.path))
        yield lineOf(event, write, isWrapped)
    }
    if (!isComplete) throw new Error('the backend ended before the upload did')
  } finally {
    if (keeping !== undefined) for (const { cid } of early) await releaseUnpinned(call, cid, 'recursive')
  }
  if (entries === 0) throw bad('expected a file argument')
}

/** The directories that an entry lies in. */
function impliedBy(entry: AddEntry, isWrapped: boolean): readonly string[] {
  if (isNamelessDirectory(entry)) return []
  const segments = entry.path.split('/').slice(0, -1)
  const named = segments.map((_, at) => segments.slice(0, at + 1).join('/'))
  return isWrapped ? ['', ...named] : named
}

function lineOf(event: Exclude<AddEvent, Root>, write: (cid: CID) => string, isWrapped: boolean): object {
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

/** The content of each file of an upload, in order; `expected` says what a directory is not. */
export async function* filesOf(
  entries: AsyncIterable<AddEntry>,
  expected: string,
): AsyncGenerator<ByteStream, void, undefined> {
  for await (const entry of entries) {
    if (entry.type !== 'file' || entry.path.includes('/')) throw new IpfsError('bad_argument', expected)
    yield entry.content
  }
}
