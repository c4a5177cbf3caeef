import { decode as decodePb, encode as encodePb } from '@ipld/dag-pb'
import fc from 'fast-check'
import { UnixFS } from 'ipfs-unixfs'
import { describe, expect, test } from 'vitest'
import { digestOf, loadHash, verifyBlock } from '../../src/unixfs/multihash.ts'
import { linkCid, linkName, parsePb } from '../../src/unixfs/pb-node.ts'
import { readVarint64 } from '../../src/unixfs/protobuf.ts'
import { parseUnixFs } from '../../src/unixfs/unixfs-data.ts'
import { cidOf, codes, noise, varint } from '../local/read/dags.ts'

const plain = (bytes: Uint8Array): Uint8Array => new Uint8Array(bytes)

/** What the library makes of a block, in our terms; undefined: nothing. */
function byLibrary(bytes: Uint8Array): unknown {
  try {
    const { Data, Links } = decodePb(bytes)
    return { data: Data && plain(Data), links: Links.map(({ Hash, Name = '' }) => [Hash.toString(), Name]) }
  } catch {
    return undefined
  }
}

function byUs(bytes: Uint8Array): unknown {
  try {
    const node = parsePb(cidOf(bytes, codes.pb), bytes)
    const links = Array.from({ length: node.linkCount }, (_, index) => [
      linkCid(node, index).toString(),
      new TextDecoder().decode(linkName(node, index)),
    ])
    return { data: node.data && plain(node.data), links }
  } catch {
    return undefined
  }
}

test('a block of dag-pb is read as the library reads it, however it was changed', () => {
  const links = fc.array(fc.record({ name: fc.string({ maxLength: 5 }), size: fc.nat() }), { maxLength: 5 })
  const change = fc.record({ at: fc.nat(), to: fc.nat(255), cut: fc.boolean() })
  fc.assert(
    fc.property(
      links,
      fc.option(fc.uint8Array({ maxLength: 9 })),
      fc.array(change, { maxLength: 2 }),
      (made, data, changes) => {
        const sorted = made.toSorted((one, other) => Buffer.compare(Buffer.from(one.name), Buffer.from(other.name)))
        const Links = sorted.map(({ name, size }) => ({ Hash: cidOf(Buffer.from(name)), Name: name, Tsize: size }))
        let bytes = plain(encodePb(data === null ? { Links } : { Data: data, Links }))
        for (const { at, to, cut } of changes) {
          if (cut) bytes = bytes.slice(0, at % (bytes.length + 1))
          else bytes[at % bytes.length] = to
        }
        expect(byUs(bytes)).toEqual(byLibrary(bytes))
      },
    ),
    { numRuns: 1500 },
  )
})

test('links on both sides of the data, or data twice, are no dag-pb', () => {
  const cid = cidOf(noise(3)).bytes
  const link = [0x12, cid.length + 2, 0x0a, cid.length, ...cid]
  const data = [0x0a, 1, 7]
  for (const fields of [[link, data, link], [data, link, data], [data, data], [[0x1a, 0]], [[0x12, 0]]]) {
    const bytes = Uint8Array.from(fields.flat())
    expect(() => parsePb(cidOf(bytes, codes.pb), bytes)).toThrow(expect.objectContaining({ code: 'bad_content' }))
  }
  for (const fields of [[link, link, data], [data, link], [data], []]) {
    const bytes = Uint8Array.from(fields.flat())
    expect(byUs(bytes)).toEqual(byLibrary(bytes))
    expect(byUs(bytes)).toBeDefined()
  }
})

test('what UnixFS says of a file is read as the library wrote it', () => {
  // The library writes numbers from 2^31 to 2^32 wrong.
  const seconds = fc.oneof(fc.bigInt(-(2n ** 40n), 2n ** 31n - 1n), fc.bigInt(2n ** 32n, 2n ** 40n))
  const node = fc.record({
    type: fc.constantFrom('raw', 'file', 'directory', 'symlink'),
    data: fc.uint8Array({ maxLength: 300 }),
    sizes: fc.array(fc.oneof(fc.nat(2 ** 20).map(BigInt), fc.bigInt(2n ** 33n, 2n ** 50n)), { maxLength: 4 }),
    mode: fc.option(fc.integer({ min: 1, max: 0o7777 }), { nil: undefined }),
    mtime: fc.option(fc.record({ secs: seconds, nsecs: fc.integer({ min: 1, max: 999_999_999 }) }), { nil: undefined }),
  })
  fc.assert(
    fc.property(node, ({ type, data, sizes, mode, mtime }) => {
      const unixFs = new UnixFS({
        type: type as 'file',
        data,
        blockSizes: sizes,
        ...(mode && { mode }),
        ...(mtime && { mtime }),
      })
      const Links = sizes.map(() => ({ Hash: cidOf(data), Name: '', Tsize: 0 }))
      const bytes = encodePb({ Data: unixFs.marshal(), Links })
      const read = parseUnixFs(parsePb(cidOf(bytes, codes.pb), bytes))
      expect(read?.type).toBe(type)
      expect(plain(read?.data as Uint8Array)).toEqual(data)
      expect([...(read?.blockSizes ?? [])]).toEqual(sizes)
      expect(read?.mtime).toEqual(mtime)
      const byDefault = type === 'directory' ? 0o755 : 0o644
      expect(read?.mode ?? byDefault).toBe(mode ?? byDefault)
    }),
    { numRuns: 300 },
  )
})

test('numbers of 64 bits are read exactly, and beyond them not at all', () => {
  for (const value of [
    0n,
    127n,
    128n,
    2n ** 31n,
    2n ** 32n - 1n,
    2n ** 53n - 1n,
    2n ** 53n,
    2n ** 63n + 1n,
    2n ** 64n - 1n,
  ]) {
    expect(readVarint64({ bytes: Uint8Array.from(varint(value)), at: 0 })).toBe(value)
  }
  for (const bad of [varint(2n ** 64n), Array<number>(11).fill(0x80), [0x80]]) {
    expect(() => readVarint64({ bytes: Uint8Array.from(bad), at: 0 })).toThrow(RangeError)
  }
})

describe('a hash', () => {
  // Digests of "abc". Sources: FIPS 202, Keccak team, BLAKE2 (RFC 7693), BLAKE3 reference implementation.
  test.each([
    ['shake-128', 0x18, '5881092dd818bf5cf8a3ddb793fbcba74097d5c526a6d35f97b83351940f2cc8'],
    [
      'shake-256',
      0x19,
      '483366601360a8771c6863080cc4114d8db44530f8f1e1ee4f94ea37e78b5739d5a15bef186a5386c75744c0527e1faa9f8726e462a12a4feb06bd8801e751e4',
    ],
    ['keccak-224', 0x1a, 'c30411768506ebe1c2871b1ee2e87d38df342317300a9b97a95ec6a8'],
    ['keccak-256', 0x1b, '4e03657aea45a94fc7d47ba826c8d667c0d1e6e33a64a036ec44f58fa12d6c45'],
    [
      'keccak-384',
      0x1c,
      'f7df1165f033337be098e7d288ad6a2f74409d7a60b49c36642218de161b1f99f8c681e4afaf31a34db29fb763e3c28e',
    ],
    [
      'keccak-512',
      0x1d,
      '18587dc2ea106b9a1563e32b3312421ca164c7f1f07bc922a9c83d77cea3a1e5d0c69910739025372dc14ac9642629379540c17e2a65b19d77aa511a9d00bb96',
    ],
    ['blake3', 0x1e, '6437b3ac38465133ffb63b75273a8db548c558465d79db03fd359c6cd5bd9d85'],
    ['blake2b-256', 0xb220, 'bddd813c634239723171ef3fee98579b94964e3bb1cb3e427262c8c068d52319'],
    ['blake2s-256', 0xb260, '508c5e8c327c14e2e1a72ba34eeb452f37458b209ed63a294d999b4c86675982'],
  ])('of %s is that of its reference', async (_, code, hex) => {
    await loadHash(code)
    expect(Buffer.from(digestOf(code, Buffer.from('abc'))).toString('hex')).toBe(hex)
  })

  test('that can have any length may be longer than usual, and nothing else may', async () => {
    const { CID } = await import('multiformats/cid')
    const Digest = await import('multiformats/hashes/digest')
    const bytes = noise(100)
    for (const code of [0x18, 0x19, 0x1e]) {
      await loadHash(code)
      const of = (length: number) => CID.createV1(codes.raw, Digest.create(code, digestOf(code, bytes, length)))
      await verifyBlock(of(100), bytes)
      await expect(verifyBlock(of(129), bytes)).rejects.toMatchObject({ code: 'bad_content' })
    }
    const longer = CID.createV1(codes.raw, Digest.create(0x12, Buffer.concat([digestOf(0x12, bytes), noise(1)])))
    await expect(verifyBlock(longer, bytes)).rejects.toMatchObject({ code: 'bad_content' })
  })

  test('that was cut may keep 20 bytes, as in Kubo', async () => {
    const { CID } = await import('multiformats/cid')
    const Digest = await import('multiformats/hashes/digest')
    const bytes = noise(100)
    const cut = (length: number) =>
      CID.createV1(codes.raw, Digest.create(0x12, cidOf(bytes).multihash.digest.slice(0, length)))
    await verifyBlock(cut(20), bytes)
    await expect(verifyBlock(cut(20), noise(99))).rejects.toMatchObject({ code: 'bad_content' })
    await expect(verifyBlock(cut(19), bytes)).rejects.toMatchObject({ code: 'bad_content' })
  })
})
