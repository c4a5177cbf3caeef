import type { AddEntry, ByteStream } from '../backend.ts'
import { IpfsError } from '../error.ts'
import type { Call } from './call.ts'
import { readEntries } from './entries.ts'
import { boundaryOf } from './multipart.ts'
import { refusal } from './refusal.ts'

/** The parts of a multipart body as a stream of entries. Rejects with 400 if there is no such body. */
export async function openUpload(call: Call, argument: string): Promise<AsyncGenerator<AddEntry, void, undefined>> {
  const boundary = boundaryOf(call.contentType)
  if (boundary === undefined) throw refusal(400, `file argument '${argument}' is required\n`)
  return readEntries(await call.upload(), boundary, call.parts)
}

/** The content of each file of an upload, in order. Throws `bad_argument` with `expected` for anything but a file at the top. */
export async function* filesOf(
  entries: AsyncIterable<AddEntry>,
  expected: string,
): AsyncGenerator<ByteStream, void, undefined> {
  for await (const entry of entries) {
    if (entry.type !== 'file' || entry.path.includes('/')) throw new IpfsError('bad_argument', expected)
    yield entry.content
  }
}
