import { abortable } from '../abortable.ts'

/** An upload as a whole, for a platform that cannot send what is not yet there. @throws IpfsError `aborted` */
export async function buffered(parts: AsyncIterable<Uint8Array | Blob>, signal?: AbortSignal): Promise<Blob> {
  const all: BlobPart[] = []
  for await (const part of abortable(parts, signal ?? new AbortController().signal)) all.push(part as BlobPart)
  return new Blob(all)
}
