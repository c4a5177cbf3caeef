import { createHash, randomBytes } from 'node:crypto'

const boundary = 'wayleave-bench'
export const contentType: string = `multipart/form-data; boundary=${boundary}`

/** Bytes of a small file: more than what is inlined, less than a unit of the disk. */
const leastBytes = 100
const mostBytes = 2_000
const sizeOf = (i: number): number => leastBytes + ((i * 997) % (mostBytes - leastBytes))

/** The body of `add` with that many files of 100 to 2,000 random bytes in one directory. */
export function filesBody(count: number): Buffer {
  const parts = Array.from({ length: count }, (_, i) => part(`site%2Ff${i}`, randomBytes(sizeOf(i))))
  return Buffer.concat([...parts, end])
}

/** The body of `add` with one file. */
export function fileBody(content: Buffer): Buffer {
  return Buffer.concat([part('file', content), end])
}

/** The body of `dag/import` with an archive of that many raw blocks and a root (dag-cbor) that links to all of them. */
export function archiveBody(count: number): Buffer {
  const blocks = Array.from({ length: count }, (_, i) => blockOf(0x55, randomBytes(sizeOf(i))))
  const root = blockOf(0x71, Buffer.concat([head(4, count), ...blocks.map(({ cid }) => link(cid))]))
  const header = Buffer.concat([head(5, 2), text('roots'), head(4, 1), link(root.cid), text('version'), head(0, 1)])
  const sections = [root, ...blocks].flatMap(({ cid, bytes }) => [varint(cid.length + bytes.length), cid, bytes])
  return Buffer.concat([part('car', Buffer.concat([varint(header.length), header, ...sections])), end])
}

const end = Buffer.from(`--${boundary}--\r\n`)

function part(name: string, content: Buffer): Buffer {
  const disposition = `Content-Disposition: form-data; name="file"; filename="${name}"`
  const before = `--${boundary}\r\n${disposition}\r\nContent-Type: application/octet-stream\r\n\r\n`
  return Buffer.concat([Buffer.from(before), content, Buffer.from('\r\n')])
}

/** A block and its CIDv1 of sha2-256. */
function blockOf(codec: number, bytes: Buffer): { readonly cid: Buffer; readonly bytes: Buffer } {
  const cid = Buffer.concat([Buffer.of(1, codec, 0x12, 32), createHash('sha256').update(bytes).digest()])
  return { cid, bytes }
}

function varint(value: number): Buffer {
  const bytes: number[] = []
  for (let rest = value; ; rest = Math.floor(rest / 128)) {
    if (rest < 128) return Buffer.from([...bytes, rest])
    bytes.push((rest % 128) | 128)
  }
}

/** The head of a CBOR item. Source: RFC 8949 §3. */
function head(major: number, value: number): Buffer {
  const kind = major << 5
  if (value < 24) return Buffer.of(kind | value)
  if (value < 256) return Buffer.of(kind | 24, value)
  return value < 65_536 ? Buffer.of(kind | 25, value >> 8, value & 255) : Buffer.of(kind | 26, ...be32(value))
}

const be32 = (value: number): number[] => [value >>> 24, (value >>> 16) & 255, (value >>> 8) & 255, value & 255]
const text = (value: string): Buffer => Buffer.concat([head(3, value.length), Buffer.from(value)])
/** A link of dag-cbor: tag 42 over the CID behind a zero byte. */
const link = (cid: Buffer): Buffer => Buffer.concat([head(6, 42), head(2, cid.length + 1), Buffer.of(0), cid])
