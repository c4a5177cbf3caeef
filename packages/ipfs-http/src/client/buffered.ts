import { abortable } from '../abortable.ts'

/** Joins the parts of an upload, for a platform that can only send a whole body. @throws IpfsError `aborted` */
export async function buffered(parts: AsyncIterable<Uint8Array | Blob>, signal?: AbortSignal): Promise<Blob> {
  const all: BlobPart[] = []
  for await (const part of abortable(parts, signal ?? new AbortController().signal)) all.push(part as BlobPart)
  return new Blob(all)
}
