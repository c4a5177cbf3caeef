import * as dagCbor from '@ipld/dag-cbor'
import { decode as decodePb } from '@ipld/dag-pb'
import { describe, expect, test } from 'vitest'
import { codecCodeOf, convertNode, decodeNode, encodeNode } from '../../src/codecs.ts'
import { cidOf, codes, importAll, memoryBlocks, never, putFile } from '../local/read/dags.ts'

const text = (value: string): Uint8Array => Buffer.from(value)
const leaf = cidOf(Buffer.from('leaf'))

describe('a node as dag-json', () => {
  test('of dag-pb has its data and links, as Kubo prints it', async () => {
    const store = memoryBlocks()
    const cid = await importAll(store, [{ path: 'd/a', content: Buffer.from('leaf') }])
    expect(decodeNode(cid, await store.get(cid, never))).toBe(
      `{"Data":{"/":{"bytes":"CAE"}},"Links":[{"Hash":{"/":"${leaf}"},"Name":"a","Tsize":4}]}`,
    )
  })

  test('of dag-cbor keeps links, bytes, and integers beyond 2^53', () => {
    const bytes = dagCbor.encode({ big: 2n ** 63n - 1n, bytes: Uint8Array.of(1), link: leaf, list: [null, true, 1.5] })
    const cid = cidOf(bytes, codes.cbor)
    expect(decodeNode(cid, bytes)).toBe(
      `{"big":9223372036854775807,"bytes":{"/":{"bytes":"AQ"}},"link":{"/":"${leaf}"},"list":[null,true,1.5]}`,
    )
    expect(decodeNode(cid, bytes, ['list', '2'])).toBe('1.5')
    expect(decodeNode(cid, bytes, ['list', '0'])).toBe('null')
    expect(() => decodeNode(cid, bytes, ['list', 'length'])).toThrow(
      expect.objectContaining({ code: 'not_found', message: `no link named "length" under ${cid}` }),
    )
  })

  test('of dag-cbor with an integer that has no sign and 64 bits is refused, but stays dag-cbor', () => {
    const bytes = dagCbor.encode({ big: 2n ** 63n })
    const cid = cidOf(bytes, codes.cbor)
    expect(() => decodeNode(cid, bytes)).toThrow(expect.objectContaining({ code: 'unsupported' }))
    expect(convertNode(cid, bytes, [], 'dag-cbor')).toEqual(bytes)
    expect(encodeNode(bytes, 'dag-cbor', 'dag-cbor')).toEqual(bytes)
  })

  test('of raw is bytes', () => {
    expect(decodeNode(leaf, Buffer.from('leaf'))).toBe('{"/":{"bytes":"bGVhZg"}}')
  })

  test('of bytes that are not what their codec says, or of an unknown codec, is an error', () => {
    expect(() => decodeNode(leaf.toV1(), Buffer.from('leaf'))).not.toThrow()
    expect(() => decodeNode(cidOf(text('x'), codes.cbor), text('x'))).toThrow(
      expect.objectContaining({ code: 'bad_content' }),
    )
    expect(() => decodeNode(cidOf(text('x'), 0x78), text('x'))).toThrow(
      expect.objectContaining({ code: 'unsupported' }),
    )
  })
})

test('a node may leave in another codec, if that can say it', () => {
  const bytes = dagCbor.encode({ a: [Uint8Array.of(1), 2] })
  const cid = cidOf(bytes, codes.cbor)
  expect(convertNode(cid, bytes, ['a', '0'], 'raw')).toEqual(Uint8Array.of(1))
  expect(convertNode(cid, bytes, [], 'dag-cbor')).toEqual(bytes)
  for (const codec of ['dag-pb', 'raw', 'git-raw']) {
    expect(() => convertNode(cid, bytes, [], codec)).toThrow(expect.objectContaining({ code: 'unsupported' }))
  }
})

describe('a node that is put', () => {
  test('becomes canonical dag-cbor', () => {
    const put = encodeNode(
      text(`{ "bb": {"/": "${leaf}"}, "a": [1, 1.5, 9223372036854775807] }`),
      'dag-json',
      'dag-cbor',
    )
    expect(put).toEqual(dagCbor.encode({ a: [1, 1.5, 2n ** 63n - 1n], bb: leaf }))
    // go-ipld-prime: shorter keys first.
    expect(Buffer.from(put).toString('hex')).toMatch(/^a2616183/)
  })

  test('becomes dag-pb with its links in order', async () => {
    const link = (Name: string) => `{"Hash":{"/":"${leaf}"},"Name":"${Name}","Tsize":4}`
    const node = `{"Links":[${link('b')},${link('a')}],"Data":{"/":{"bytes":"CAE"}}}`
    const put = encodeNode(text(node), 'dag-json', 'dag-pb')
    expect(decodePb(put).Links.map(({ Name }) => Name)).toEqual(['a', 'b'])
    const store = memoryBlocks()
    const cid = await putFile(store, { type: 'directory', links: [[leaf, 0n, 'a']] })
    const bytes = await store.get(cid, never)
    expect(encodeNode(text(decodeNode(cid, bytes)), 'dag-json', 'dag-pb')).toEqual(bytes)
    expect(encodeNode(bytes, 'dag-pb', 'dag-pb')).toEqual(bytes)
  })

  test('may be raw', () => {
    expect(encodeNode(text('any'), 'raw', 'raw')).toEqual(Buffer.from('any'))
    expect(encodeNode(text('{"/":{"bytes":"AQ"}}'), 'dag-json', 'raw')).toEqual(Uint8Array.of(1))
  })

  test.each([
    ['{', 'dag-json', 'dag-cbor', 'bad_argument'],
    ['{"a":1}', 'dag-json', 'dag-pb', 'bad_argument'],
    ['{"Links":[{"Name":"no hash"}]}', 'dag-json', 'dag-pb', 'bad_argument'],
    ['{"Links":[null]}', 'dag-json', 'dag-pb', 'bad_argument'],
    ['{"a":1}', 'dag-json', 'raw', 'bad_argument'],
    // As Kubo 0.41, whose integers of dag-json have 64 bits with their sign.
    ['9223372036854775808', 'dag-json', 'dag-cbor', 'bad_argument'],
    ['{"a":[-9223372036854775809]}', 'dag-json', 'dag-cbor', 'bad_argument'],
    ['{}', 'dag-json', 'git-raw', 'unsupported'],
    ['['.repeat(100_000), 'dag-json', 'dag-cbor', 'bad_argument'],
  ])('%.40s as %s into %s is refused as %4$s', (bytes, input, store, code) => {
    expect(() => encodeNode(text(bytes), input, store)).toThrow(expect.objectContaining({ code }))
  })
})

test('plain JSON has no links: what looks like one is a map, and a real one cannot be said', () => {
  const node = `{"link":{"/":"${leaf}"}}`
  const bytes = encodeNode(text(node), 'json', 'dag-cbor')
  expect(dagCbor.decode(bytes)).toEqual({ link: { '/': leaf.toString() } })
  expect(Buffer.from(convertNode(cidOf(bytes, codes.cbor), bytes, [], 'json')).toString()).toBe(
    `{\n\t"link": {\n\t\t"/": "${leaf}"\n\t}\n}\n`,
  )
  expect(() => encodeNode(text(node), 'dag-json', 'json')).toThrow(expect.objectContaining({ code: 'bad_argument' }))
})

// Texts and CIDs from Kubo 0.41, `dag/put?store-codec=json`.
test.each([
  ['{"b":1,"a":[1,2.5,null,true,"x",{},[],[[]]]}', '{\n\t"b": 1,\n\t"a": [\n\t\t1,\n\t\t2.5,\n\t\tnull,\n\t\ttrue,\n\t\t"x",\n\t\t{},\n\t\t[],\n\t\t[\n\t\t\t[]\n\t\t]\n\t]\n}\n'], // prettier-ignore
  ['{}', '{}\n'],
  ['[]', '[]\n'],
  [' 1.0 ', '1'],
  ['1e21', '1e+21'],
  ['1e-7', '1e-7'],
  ['9007199254740993', '9007199254740993'],
  ['"\\b\\f\\u2028\\u007f\\u0001/\\\\b \\"é"', '"\\u0008\\u000c\\u2028\u007f\\u0001/\\\\b \\"é"'],
])('%s is stored as plain JSON the way Kubo writes it', (node, stored) => {
  expect(Buffer.from(encodeNode(text(node), 'dag-json', 'json')).toString()).toBe(stored)
})

test.each([
  ['['.repeat(1025) + ']'.repeat(1025), 'json'],
  [`${'['.repeat(1000)}${'1,'.repeat(40_000)}1${']'.repeat(1000)}`, 'json'],
  ['1e400', 'json'],
])('%.20s… is refused as plain JSON: too deep, too long, no number', (node, codec) => {
  expect(() => encodeNode(text(node), codec, 'json')).toThrow(expect.objectContaining({ code: 'bad_argument' }))
})

test('codecs go by the names of the multicodec table', () => {
  expect(['raw', 'dag-pb', 'dag-cbor', 'dag-json'].map(codecCodeOf)).toEqual([0x55, 0x70, 0x71, 0x0129])
  expect(() => codecCodeOf('git-raw')).toThrow(/dag-cbor.*"git-raw"/)
})
