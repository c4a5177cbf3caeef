import type { CID } from 'multiformats/cid'
import { IpfsError } from '../../error.ts'
import type { Link } from '../../unixfs/add-unixfs.ts'
import { parseChunker } from '../../unixfs/chunkers.ts'
import { withProfile } from '../../unixfs/profile.ts'
import type { IpfsAddOptions, Verification } from '../client.ts'
import type { NamedUpload, UploadObserver } from '../upload-parts.ts'
import { buildFiles, canBuild, type UploadEntry } from './build-upload.ts'
import { directoryFinder } from './find-directory.ts'
import { createHasher } from './hasher.ts'
import { parseCid } from './parse-cid.ts'
import { createPipe, type Pipe } from './pipe.ts'

/** Computes the CIDs of an upload from its bytes, to check those of the host. */
export interface AddVerifier extends UploadObserver {
  /** Checks the CID that the host gave a path. @throws IpfsError `mismatch`, `truncated` if the upload ended early */
  check(path: string, cid: string): Promise<Checked>
  /** Ends the computation: nobody will check any more. */
  close(): void
}

/** The outcome of a check. `size`: of the whole DAG in bytes, if it was computed. */
export interface Checked {
  readonly verification: Verification
  readonly size?: number | undefined
}

interface Entry {
  readonly upload: NamedUpload
  readonly content: Pipe<Uint8Array>
}

/** Makes the verifier of an upload; undefined if these options cannot be followed here. */
export function createAddVerifier(options: IpfsAddOptions): AddVerifier | undefined {
  if (!canBuild(options)) return undefined
  // Refuses a chunker that does not exist.
  parseChunker(options.chunker ?? '')
  const entries: Pipe<Entry> = createPipe()
  const blocks = createHasher(withProfile(options).cidVersion)
  const computed = createComputedCids()
  let findDirectory: ReturnType<typeof directoryFinder> | undefined
  /** The content of the entry that comes now. */
  let content: Pipe<Uint8Array> | undefined
  let isClosed = false
  /** Whether all hosts build the same DAG for these entries. */
  let isExact = true

  async function run(): Promise<void> {
    const files = buildFiles(uploadsOf(entries), options, blocks)
    for (;;) {
      const { done, value } = await files.next()
      if (done) return void (findDirectory = directoryFinder(value.top, withProfile(options), blocks))
      computed.add(value.path, value.link)
    }
  }

  void run()
    .then(() => computed.end('done'))
    .catch(() => computed.end(isClosed ? 'closed' : 'failed'))
    .finally(() => {
      entries.fail(new Error('over'))
      content?.fail(new Error('over'))
    })

  return {
    async begin(upload) {
      content?.end()
      content = createPipe()
      // Hosts differ in the DAGs that they build for modes and times.
      isExact &&= upload.mode === undefined && upload.mtime === undefined
      await entries.write({ upload, content })
    },
    write: async (chunk) => content?.write(chunk),
    async end() {
      content?.end()
      entries.end()
    },
    async check(path, text) {
      const cid = normal(parseCid(text))
      const outcome = await computed.waitFor(path, cid)
      if (typeof outcome === 'number') return { verification: 'proven', size: outcome }
      // Without a wrapping directory, nothing at the top is a directory of this upload.
      if (outcome === 'done' && (path !== '' || options.wrapWithDirectory)) {
        const link = await findDirectory?.(path, (built) => normal(built) === cid)
        if (link) return { verification: 'proven', size: link.size }
      }
      if (outcome === 'closed') throw new IpfsError('truncated', 'the host answered before it had read the upload')
      // The host is not to blame for content that cannot be computed here, such as an entry that comes twice.
      if (!isExact || outcome === 'failed') return { verification: 'unverified' }
      throw new IpfsError(
        'mismatch',
        `the host gave ${JSON.stringify(path)} a CID that is not that of what was sent: ${cid}`,
      )
    },
    close() {
      isClosed = true
      entries.fail(new Error('closed'))
      content?.fail(new Error('closed'))
    },
  }
}

/** The CIDs that were computed until now, by paths. */
interface ComputedCids {
  add(path: string, link: Link): void
  end(how: End): void
  /** Waits until `cid` was computed for a path, and returns the size of its DAG in bytes, or the computation ended without it. */
  waitFor(path: string, cid: string): Promise<number | End>
}

/** `done`: of all content. `failed`: it cannot be computed here. `closed`: the upload ended early. */
type End = 'done' | 'failed' | 'closed'

function createComputedCids(): ComputedCids {
  const found = new Map<string, Map<string, number>>()
  let ended: End | undefined
  let wake = (): void => {}
  let change = new Promise<void>((resolve) => (wake = resolve))

  function notify(): void {
    wake()
    change = new Promise((resolve) => (wake = resolve))
  }

  return {
    add(path, { cid, size }) {
      found.set(path, (found.get(path) ?? new Map<string, number>()).set(normal(cid), size))
      notify()
    },
    end(how) {
      ended = how
      notify()
    },
    async waitFor(path, cid) {
      for (;;) {
        const size = found.get(path)?.get(cid)
        if (size !== undefined) return size
        if (ended !== undefined) return ended
        await change
      }
    },
  }
}

async function* uploadsOf({ values }: Pipe<Entry>): AsyncGenerator<UploadEntry> {
  for await (const { upload, content } of values) yield { upload, content: content.values }
}

/** Returns the same text for both versions of a CID. */
function normal(cid: CID): string {
  return cid.toV1().toString()
}
