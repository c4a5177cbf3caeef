import type { CID } from 'multiformats/cid'
import type { AddEntry, AddEvent, AddOptions, BackendCall, ByteStream, IpfsBackend } from '../backend.ts'
import type { IpfsUpload } from '../client/client.ts'
import { uploadParts } from '../client/upload-parts.ts'
import { randomText } from '../defaults.ts'
import { IpfsError } from '../error.ts'
import { fromGoMode } from '../unixfs/from-go-mode.ts'
import { cidOf, isObject, linkOf, sizeOf } from './kubo-answers.ts'
import { createKuboDirectories, type KuboBlocks } from './kubo-directories.ts'
import { type KuboPins, ourName } from './kubo-pins.ts'
import type { KuboCall, KuboRpc } from './kubo-rpc.ts'

type UploadEntry = IpfsUpload & { readonly path: string }

/** Creates the uploads of a backend. They stream through, and the node pins them itself: its collector would else take unfinished ones. */
export function createKuboAdd(
  rpc: Pick<KuboRpc, 'lines'>,
  pins: KuboPins,
  blocks: KuboBlocks,
): Pick<IpfsBackend, 'add' | 'importCar'> {
  async function* add(
    entries: AsyncIterable<AddEntry>,
    options: AddOptions,
    call: BackendCall,
  ): AsyncGenerator<AddEvent> {
    await pins.requireKubo(call)
    const isPinned = options.pin && !options.onlyHash
    const query = addQuery(options, isPinned && (await pins.mayReplace(call)))
    let isNameless = false
    const upload = uploadOf(hasTop(options) ? withTop(entries) : withoutTop(entries), (entry) => {
      isNameless ||= entry.path === ''
    })
    const roots = new Map<string, CID>()
    const replaced: CID[] = []
    let failed: { readonly why: unknown } | undefined
    const directories = createKuboDirectories(blocks, options, call)
    let unnamed: (AddEvent & { readonly type: 'added' }) | undefined
    for await (const line of rpc.lines({ command: 'add', query, upload, ...call })) {
      const { Name: name, Hash: hash, Bytes: bytes } = line
      const named = String(name ?? '')
      if (typeof hash !== 'string') {
        // Kubo leaves out the bytes of an empty file.
        yield { type: 'progress', path: named, bytes: Number(sizeOf(bytes ?? 0)) }
        continue
      }
      const reported = { cid: cidOf(hash), size: sizeOf(line['Size']) }
      const isRoot = options.wrapWithDirectory ? named === '' : !named.includes('/')
      // A node that only hashes keeps no block of a directory that could be read again.
      const formed =
        options.onlyHash || failed !== undefined
          ? undefined
          : await directories.formed(named, reported).catch((why: unknown) => void (failed = { why }))
      if ((formed || failed) && isRoot) {
        // The node has pinned it.
        replaced.push(reported.cid)
        yield { type: 'root', ...reported, isReplaced: true }
      }
      if (failed !== undefined) continue
      const added = { type: 'added', path: named, ...(formed ?? reported), ...attributesOf(line) } as const
      if (options.wrapWithDirectory && named === '') {
        unnamed = added
        continue
      }
      yield { ...added, path: isNameless && !options.wrapWithDirectory && named === hash ? '' : named }
      if (!isRoot || options.onlyHash) continue
      roots.set(`${added.cid}`, added.cid)
      yield { type: 'root', cid: added.cid, size: added.size }
    }
    if (unnamed !== undefined) {
      yield unnamed
      roots.set(`${unnamed.cid}`, unnamed.cid)
      if (!options.onlyHash) yield { type: 'root', cid: unnamed.cid, size: unnamed.size }
    }
    // The node has named them ours, also where others had pinned them; of a failed upload, none is kept.
    if (isPinned) {
      for (const cid of failed === undefined ? replaced : [...replaced, ...roots.values()])
        await pins.restore(cid, call)
    }
    if (failed !== undefined) throw failed.why
    // A node may report a root before it has pinned it, and an error in the trailer may have got lost on the way.
    if (isPinned) for (const root of roots.values()) await pins.keep(root, call)
  }

  return {
    add,
    async *importCar(car, call) {
      const query: [string, string][] = [
        // To pin a root, the node would search for what it lacks below it.
        ['pin-roots', `${call.isLocal !== true && (await pins.mayReplace(call))}`],
        ['stats', 'true'],
      ]
      const found: { readonly cid: CID; readonly problem: string | undefined }[] = []
      let isWhole = false
      for await (const line of rpc.lines({ command: 'dag/import', query, upload: uploadOne(car), ...call })) {
        const { Root: root, Stats: stats } = line
        if (isObject(root)) {
          const { Cid: cid, PinErrorMsg: problem } = root
          found.push({ cid: linkOf(cid), problem: problem ? String(problem).slice(0, 1_000) : undefined })
        } else if (isObject(stats)) {
          isWhole = true
          yield { type: 'progress', blocks: Number(stats['BlockCount']), bytes: sizeOf(stats['BlockBytesCount']) }
        }
      }
      if (!isWhole) throw new IpfsError('invalid_response', 'the IPFS node left out the end of dag/import')
      for (const { cid, problem } of found) {
        if (problem === undefined && call.isLocal !== true) await pins.keep(cid, call)
        yield { type: 'root', cid, problem }
      }
    },
  }
}

/** Kubo's names of the options. Modes and times are sent with the parts. Source: Kubo RPC `/api/v0/add`. */
function addQuery(options: AddOptions, pin: boolean): KuboCall['query'] {
  const { cidVersion, hash, chunker, rawLeaves, trickle, inline, inlineLimit, onlyHash } = options
  const named = {
    'cid-version': cidVersion,
    hash,
    chunker,
    'raw-leaves': rawLeaves,
    trickle,
    'max-file-links': options.maxFileLinks,
    'max-directory-links': options.maxDirectoryLinks,
    'max-hamt-fanout': options.maxHamtFanout,
    'empty-dirs': options.emptyDirs,
    inline,
    ...(inline && { 'inline-limit': inlineLimit }),
    'only-hash': onlyHash,
    pin,
    ...(pin && { 'pin-name': ourName }),
    'wrap-with-directory': options.wrapWithDirectory && !hasTop(options),
    'preserve-mode': options.preserveMode,
    'preserve-mtime': options.preserveMtime,
    progress: options.progress,
  }
  return Object.entries(named).map(([name, value]) => [name, `${value}`])
}

/** True if the wrapping directory may have a mode or a time: Kubo takes them from a directory that is sent without a name. */
function hasTop({ wrapWithDirectory, preserveMode, preserveMtime }: AddOptions): boolean {
  return wrapWithDirectory && (preserveMode || preserveMtime)
}

function isTop({ type, path }: AddEntry): boolean {
  return type === 'directory' && path === ''
}

async function* withTop(entries: AsyncIterable<AddEntry>): AsyncGenerator<AddEntry> {
  let isFirst = true
  for await (const entry of entries) {
    if (isFirst && !isTop(entry)) yield { type: 'directory', path: '' }
    isFirst = false
    yield entry
  }
}

async function* withoutTop(entries: AsyncIterable<AddEntry>): AsyncGenerator<AddEntry> {
  for await (const entry of entries) if (!isTop(entry)) yield entry
}

function uploadOf(
  entries: AsyncIterable<AddEntry>,
  onEntry: (entry: UploadEntry) => void,
): NonNullable<KuboCall['upload']> {
  const boundary = randomText()
  const bytes = uploadParts(entries as AsyncIterable<IpfsUpload>, {
    boundary,
    keepBlobs: false,
    preserveMode: true,
    preserveMtime: true,
    observer: undefined,
    mayNameTop: true,
    onEntry,
    onBytes: () => {},
    onEnd: () => {},
  }) as ByteStream
  return { boundary, bytes }
}

/** One file as an upload. */
export function uploadOne(content: ByteStream): NonNullable<KuboCall['upload']> {
  return uploadOf(entriesOf(content), () => {})
}

async function* entriesOf(content: ByteStream): AsyncGenerator<AddEntry> {
  yield { type: 'file', path: 'file', content }
}

function attributesOf(line: Readonly<Record<string, unknown>>): Pick<AddEvent & { type: 'added' }, 'mode' | 'mtime'> {
  const { Mode: mode, Mtime: secs, MtimeNsecs: nsecs } = line
  return {
    ...(typeof mode === 'string' && /^[0-7]+$/.test(mode) && { mode: fromGoMode(Number.parseInt(mode, 8)) }),
    ...(typeof secs === 'number' && {
      mtime: { secs: BigInt(secs), ...(typeof nsecs === 'number' && { nsecs }) },
    }),
  }
}
