import type { HostBody } from './host.ts'

/** The bytes around the only file of a multipart body. */
interface Frame {
  readonly type: string
  readonly head: string
  readonly tail: string
}

/** Makes the frame of a body of one file. */
export function frameOf(boundary: string): Frame {
  const disposition = 'Content-Disposition: form-data; name="file"; filename=""'
  return {
    type: `multipart/form-data; boundary=${boundary}`,
    head: `--${boundary}\r\n${disposition}\r\nContent-Type: application/octet-stream\r\n\r\n`,
    tail: `\r\n--${boundary}--\r\n`,
  }
}

/** Makes a body of one file, whose bytes are those of all `parts`. */
export function onePart(parts: readonly (string | Uint8Array)[], boundary: string): HostBody {
  const { type, head, tail } = frameOf(boundary)
  return { type, content: new Blob([head, ...parts, tail] as BlobPart[]) }
}
