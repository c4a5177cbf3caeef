import type { ByteStream } from '../backend.ts'
import { boundaryOf, readParts } from './multipart.ts'
import { readWhole } from './read-whole.ts'

const maxBytes = 1_048_576

/**
 * The lines of the first file in a multipart body, which is read to its end; none where there is no such body.
 * Source: go-ipfs-cmds `arguments.go`.
 */
export async function readBodyArguments(
  contentType: string | undefined,
  upload: () => Promise<ByteStream>,
): Promise<readonly string[]> {
  const boundary = boundaryOf(contentType)
  if (boundary === undefined) return []
  let lines: readonly string[] | undefined
  for await (const { content } of readParts(await upload(), { boundary, maxParts: 10, maxHeaderBytes: 16_384 })) {
    if (lines !== undefined) continue
    const bytes = await readWhole(content, maxBytes, `arguments may have ${maxBytes} bytes`)
    lines = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString().split(/\r?\n/)
  }
  return lines?.at(-1) === '' ? lines.slice(0, -1) : (lines ?? [])
}
