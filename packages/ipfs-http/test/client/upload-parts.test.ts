import fc from 'fast-check'
import { expect, it } from 'vitest'
import { uploadParts } from '../../src/client/upload-parts.ts'
import type { IpfsUpload } from '../../src/index.ts'
import { readEntries } from '../../src/server/entries.ts'
import { allOf } from './test-host.ts'

const boundary = 'wayleave-1'
const segment = fc
  .string({ unit: 'binary', minLength: 1, maxLength: 8 })
  .filter((text) => !/^\.\.?$|[/\0]|\p{Cs}/u.test(text))
const path = fc.array(segment, { minLength: 1, maxLength: 3 }).map((segments) => segments.join('/'))
const metadata = {
  path,
  mode: fc.option(fc.integer({ min: 0, max: 0o777 }), { nil: undefined }),
  mtime: fc.option(
    fc.record({
      secs: fc.bigInt({ min: -(2n ** 40n), max: 2n ** 40n }),
      nsecs: fc.integer({ min: 0, max: 999_999_999 }),
    }),
    { nil: undefined },
  ),
}
const upload = fc.oneof(
  fc.record({ ...metadata, content: fc.uint8Array({ maxLength: 300 }) }),
  fc.record({
    ...metadata,
    target: fc.string({ unit: 'binary', maxLength: 20 }).filter((text) => !/\p{Cs}/u.test(text)),
  }),
  fc.record(metadata),
)

async function* encode(uploads: readonly IpfsUpload[]): AsyncGenerator<Uint8Array> {
  const options = { boundary, keepBlobs: false, preserveMode: true, preserveMtime: true, observer: undefined }
  for await (const part of uploadParts(uploads, { ...options, onEntry: () => {}, onBytes: () => {} }))
    yield part as Uint8Array
}

it('writes what the parser of our server reads back: paths, content, targets, modes and times', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(upload, { minLength: 1, maxLength: 5 }), async (uploads: readonly IpfsUpload[]) => {
      const read: IpfsUpload[] = []
      for await (const entry of readEntries(encode(uploads), boundary)) {
        const { path: name, mode, mtime } = entry
        const common = { path: name, mode, mtime: mtime && { secs: mtime.secs, nsecs: mtime.nsecs ?? 0 } }
        if (entry.type === 'file') {
          read.push({ ...common, content: new Uint8Array(Buffer.concat(await allOf(entry.content))) })
        } else read.push(entry.type === 'symlink' ? { ...common, target: entry.target } : common)
      }
      // Kubo takes a mode without a time for one of 1970.
      const withTime = ({ mode, mtime }: IpfsUpload): IpfsUpload['mtime'] =>
        mtime ?? (mode === undefined ? undefined : { secs: 0n, nsecs: 0 })
      expect(read).toEqual(uploads.map((each) => ({ ...each, mtime: withTime(each) })))
    }),
  )
})
