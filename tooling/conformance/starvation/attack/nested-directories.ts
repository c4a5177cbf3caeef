import { createHash, randomBytes } from 'node:crypto'

/** The CID of a dag-pb block: version 1, codec 0x70, SHA-256. */
function cidOf(block: Uint8Array): Buffer {
  const digest = createHash('sha256').update(block).digest()
  return Buffer.concat([Buffer.from([0x01, 0x70, 0x12, 0x20]), digest])
}

/** Prints an unsigned number in base 128. */
function varint(value: number): Buffer {
  const bytes: number[] = []
  for (let left = value; ; left >>>= 7) {
    if (left < 0x80) return Buffer.from([...bytes, left])
    bytes.push((left & 0x7f) | 0x80)
  }
}

/** Prints a member of a message of Protocol Buffers that holds bytes. */
function member(number: number, bytes: Uint8Array): Buffer {
  return Buffer.concat([Buffer.from([(number << 3) | 2]), varint(bytes.length), bytes])
}

/** UnixFS data of a directory. */
const directory = Buffer.from([0x08, 0x01])

/**
 * Prints an archive (CARv1) of directories, each the only entry of the one above it. No two archives are the same. The innermost comes
 * first if `innermostFirst`, else last.
 */
export function nestedDirectories(count: number, innermostFirst: boolean): Buffer {
  const sections: Buffer[] = []
  let block = member(1, Buffer.concat([directory, member(2, randomBytes(16))]))
  let cid = cidOf(block)
  let size = block.length
  for (let i = 0; i < count; i++) {
    sections.push(Buffer.concat([varint(cid.length + block.length), cid, block]))
    const link = Buffer.concat([member(1, cid), member(2, Buffer.from('d')), Buffer.from([0x18]), varint(size)])
    block = Buffer.concat([member(2, link), member(1, directory)])
    cid = cidOf(block)
    size += block.length
  }
  sections.push(Buffer.concat([varint(cid.length + block.length), cid, block]))
  // { roots: [cid], version: 1 } in CBOR, where 42 is the tag of a CID.
  const header = Buffer.concat([
    Buffer.from([0xa2, 0x65]),
    Buffer.from('roots'),
    Buffer.from([0x81, 0xd8, 0x2a, 0x58, cid.length + 1, 0x00]),
    cid,
    Buffer.from([0x67]),
    Buffer.from('version'),
    Buffer.from([0x01]),
  ])
  return Buffer.concat([varint(header.length), header, ...(innermostFirst ? sections : sections.toReversed())])
}
