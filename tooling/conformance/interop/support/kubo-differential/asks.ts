import { type Ask } from './exchange.ts'
import { type Part, uploads, formOf } from './uploads.ts'

/** CIDs of what both hosts hold. */
export interface Held {
  readonly hello: string
  readonly helloRaw: string
  readonly empty: string
  readonly large: string
  readonly tree: string
  readonly treeV1: string
  readonly object: string
  readonly bases: readonly string[]
}

/** Numbers from 0 up to 1, the same for the same seed (mulberry32). */
export function seeded(seed: number): () => number {
  let state = seed
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}

const bools = ['true', 'false', '1', '0', '', 't', 'F', 'TRUE', 'yes', 'tRue', '2', ' true']
const ints = ['0', '1', '-1', '5', '3', '11', '12', '99999999', '9223372036854775807', '9223372036854775808', '-9223372036854775808', '0x3', '010', '1_0', '', ' 1', '1.5', 'abc', '+3', '1e3'] // prettier-ignore
const missing = ['QmQy2Dw4Wk7rdJKjThjYXzfFJNaRKRHhHP5gHHXroJMYxk', 'bafybeigdyrzt5sfp7udm7hu76uh7y26nf3efuylqabf3oclgtqy55fbzdi'] // prettier-ignore

function pathsOf({ hello, helloRaw, empty, large, tree, treeV1, object, bases }: Held): readonly string[] {
  return [
    hello,
    helloRaw,
    empty,
    large,
    tree,
    treeV1,
    object,
    ...bases,
    ...missing, // prettier-ignore
    `/ipfs/${hello}`,
    `/ipld/${hello}`,
    `/ipns/${hello}`,
    `/ipfs/${tree}/a.txt`,
    `${tree}/a.txt`,
    `${tree}/a.txt/`, // prettier-ignore
    `${tree}/sub/b.txt`,
    `${tree}/sub`,
    `${tree}/sub/`,
    `${tree}//a.txt`,
    `${tree}/./a.txt`,
    `${tree}/sub/../a.txt`, // prettier-ignore
    `${tree}/none`,
    `${tree}/a.txt/below`,
    `${tree}/link`,
    `${tree}/link/b.txt`,
    `${tree}/caf\u00e9 \u2615.txt`,
    `${tree}/sub/none`, // prettier-ignore
    `${tree}/../x`,
    `${tree}/..`,
    `/ipfs/${tree}/../${hello}`,
    `${treeV1}/a.txt`,
    `${treeV1}/sub/deep/c.txt`,
    `/ipfs//${hello}`,
    `//ipfs/${hello}`, // prettier-ignore
    `${object}/a`,
    `${object}/a/b`,
    `${object}/a/b/0`,
    `${object}/a/b/1`,
    `${object}/none`,
    `${object}/a/b/7`,
    `${object}/file`,
    `${object}/dir/a.txt`,
    `${object}/a/b/x`, // prettier-ignore
    `${helloRaw}/x`,
    `${hello}/x`,
    `${hello}/`,
    ` ${hello}`,
    `${hello} `,
    `${hello}x`,
    hello.slice(0, -1),
    hello.toLowerCase(),
    helloRaw.toUpperCase(), // prettier-ignore
    '',
    '/',
    '/ipfs',
    `ipfs://${hello}`,
    `IPFS://${hello}`,
    `ipfs:${hello}`,
    '/ipfs/',
    '/ipns/',
    '/ipns/example.org',
    'nonsense',
    'Qm',
    'b',
    'bafk',
    'z',
    '.',
    '..',
    '/x/y',
    '/api/v0',
    'ipfs',
    `ipfs/${hello}`, // prettier-ignore
    `/IPFS/${hello}`,
    'bafkqaaa',
    'bafkqac3imvwgy3zao5xxe3de',
    'bafzaajaiaejca',
    `${missing[0]}/a`,
    'bafybeigdyrzt5sfp7udm7hu76uh7y26nf3efuylqabf3oclgtqy55fbzd', // prettier-ignore
    'bagaaieraa',
    'f01551220',
    'f015500',
    'f01551600',
    '\u0000',
    'a\u0000b',
    '%2e',
    `${hello}?x=y`,
    `${hello}#x`,
    `${hello}/\u0000`,
    'x'.repeat(300), // prettier-ignore
  ]
}

/** The whole table and `count` requests made by chance. */
export function asksOf(held: Held, random: () => number, count: number): readonly Ask[] {
  const paths = pathsOf(held)
  const pick = <T>(from: readonly T[]): T => from[Math.floor(random() * from.length)]!
  const chance = (one: number): boolean => random() * one < 1
  const query = (args: readonly string[], options: readonly (readonly [string, string])[]): string => {
    const all = [...args.map((arg) => ['arg', arg] as const), ...options]
    return all.map(([name, value]) => `${encodeURIComponent(name)}=${encodeURIComponent(value)}`).join('&')
  }
  const some = (pools: Readonly<Record<string, readonly string[]>>, likely = 3): (readonly [string, string])[] => {
    const chosen: (readonly [string, string])[] = []
    for (const [name, values] of Object.entries(pools)) if (chance(likely)) chosen.push([name, pick(values)])
    if (chance(12))
      chosen.push([pick(['unknown', 'x y', 'stream-channels', 'Offset', 'recursive ']), pick([...bools, ...ints])])
    if (chosen.length > 0 && chance(20)) chosen.push([chosen[0]![0], pick(['1', 'true', chosen[0]![1]])])
    return chosen
  }
  const args = (): string[] => (chance(40) ? [] : chance(8) ? [pick(paths), pick(paths)] : [pick(paths)])
  const one = { ...common }

  const makers: readonly (() => Ask)[] = [
    () => ({
      path: `cat?${query(args(), some({ offset: ints, length: ints, o: ints, l: ints, progress: bools, ...one }, 4))}`,
    }),
    () => ({ path: `cat?${query([pick(held.bases)], some({ offset: ints, length: ints }, 1.5))}` }),
    () => ({ path: `get?${query(args(), some({ archive: bools, a: bools, compress: ['false', '0', 'no'], 'compression-level': ints, output: ['x', ''], ...one }, 5))}` }), // prettier-ignore
    () => ({ path: `block/get?${query(args(), some(one, 8))}` }),
    () => ({ path: `block/stat?${query(args(), some({ 'cid-base': bases, ...one }, 6))}` }),
    () => ({ path: `dag/get?${query(args(), some({ 'output-codec': codecs, ...one }, 5))}` }),
    () => ({ path: `dag/resolve?${query(args(), some({ 'cid-base': bases, ...one }, 6))}` }),
    () => ({ path: `dag/export?${query(args(), some({ progress: bools, p: bools, ...one }, 6))}` }),
    () => ({ path: `pin/add?${query(args(), some({ recursive: bools, r: bools, name: names, progress: bools, 'cid-base': bases }, 5))}` }), // prettier-ignore
    () => ({ path: `pin/rm?${query(args(), some({ recursive: bools, r: bools, 'cid-base': bases }, 6))}` }),
    () => ({ path: `pin/update?${query(chance(3) ? args() : [pick(paths), pick(paths)], some({ unpin: bools }, 3))}` }),
    () => ({ path: `pin/ls?${query(chance(2) ? [] : args(), some({ type: ['all', 'direct', 'recursive', 'indirect', 'Recursive', '', 'x'], t: ['all'], quiet: bools, stream: bools, names: bools, name: names, 'cid-base': bases }, 6))}` }), // prettier-ignore
    () => ({ path: pick([`version?${query([], some({ number: bools, all: bools, ...one }, 6))}`, `id?${query(chance(8) ? args() : [], some({ format: ['<id>'], ...one }, 6))}`]) }), // prettier-ignore
    ...Array.from({ length: 5 }, () => () => upload('add', addOptions, 9)),
    () => upload('add', { pin: bools, 'only-hash': bools, 'cid-version': ['0', '1'] }, 2),
    () => upload('block/put', { format: ['v0', 'raw', 'cbor', 'protobuf', 'dag-cbor', 'x', ''], 'cid-codec': codecs, mhtype: hashes, mhlen: ['-1', '32', 'x'], pin: bools, 'cid-base': bases }, 5), // prettier-ignore
    () =>
      upload(
        'dag/put',
        { 'input-codec': codecs, 'store-codec': codecs, hash: hashes, pin: bools, 'cid-base': bases },
        5,
      ),
    () => upload('dag/import', { 'pin-roots': bools, 'local-only': bools, stats: bools, silent: bools }, 4),
    () => ({ method: pick(['GET', 'PUT', 'DELETE', 'PATCH', 'HEAD', 'OPTIONS']), path: `${pick(['cat', 'add', 'version', 'nowhere', 'pin/ls'])}?${query([held.hello], [])}` }), // prettier-ignore
    () => ({ path: pick(['', 'pin', 'block', 'dag', 'Add', 'cat/', 'add/', '/api/v1/cat', '/', '/api/v0', '//api/v0/cat', '/api/v0//cat', 'block/rm', 'pin/verify', 'files/ls', `cat/${held.hello}`]) }), // prettier-ignore
  ]

  function upload(command: string, options: Readonly<Record<string, readonly string[]>>, likely: number): Ask {
    const parts: readonly Part[] = pick(uploads[command as keyof typeof uploads] ?? uploads.add)
    const { body, headers } = formOf(parts)
    const path = `${command}?${query(chance(30) ? args() : [], some({ ...options, ...(chance(4) ? one : {}) }, likely))}`
    if (chance(40)) return { path, headers, body: body.subarray(0, Math.floor(random() * body.length)) }
    if (chance(40)) return { path, headers: { 'Content-Type': pick(contentTypes) }, body }
    if (chance(60)) return { path }
    return { path, body, headers: chance(4) ? { ...headers, 'Transfer-Encoding': 'chunked' } : headers }
  }

  return Array.from({ length: count }, (_, at) => makers[at % makers.length]!())
}

const bases = ['base32', 'base58btc', 'base36', 'base16', 'base64url', 'base2', 'base32upper', 'base64pad', 'identity', 'nonsense', '', 'BASE32'] // prettier-ignore
const codecs = ['dag-json', 'dag-cbor', 'dag-pb', 'raw', 'json', 'cbor', 'libp2p-key', 'nonsense', '', 'DAG-JSON', '0x55', '113'] // prettier-ignore
const hashes = ['sha2-256', 'sha2-512', 'blake2b-256', 'blake3', 'sha3-256', 'sha1', 'identity', 'md5', 'nonsense', '', 'SHA2-256', 'keccak-256', 'murmur3-128'] // prettier-ignore
const names = ['name', '', 'n'.repeat(255), 'n'.repeat(256), 'caf\u00e9 \u2615', '\u2615'.repeat(86), 'a"b', 'nam']
const contentTypes = ['text/plain', 'multipart/form-data', 'multipart/form-data; boundary=other', 'multipart/mixed; boundary=b-o-u-n-d', '', 'multipart/form-data; boundary="b-o-u-n-d"', 'application/octet-stream', 'multipart/form-data; boundary=', 'MULTIPART/FORM-DATA; Boundary=b-o-u-n-d', 'multipart/form-data;boundary=b-o-u-n-d;x'] // prettier-ignore
const common: Readonly<Record<string, readonly string[]>> = {
  'cid-base': bases,
  timeout: ['10s', '1m30s', '', 'x', '1h'],
  offline: bools,
  encoding: ['json', 'text', 'xml', ''],
  'upgrade-cidv0-in-output': bools,
}
const addOptions: Readonly<Record<string, readonly string[]>> = {
  progress: bools,
  'wrap-with-directory': bools,
  w: bools,
  'only-hash': bools,
  'cid-version': ['0', '1', '2', '-1', '', 'x', '01'],
  'raw-leaves': bools,
  chunker: ['size-262144', 'size-4', 'size-0', 'size--1', 'size-2097153', 'size-2096896', 'size-2096897', 'size-x', 'rabin', 'rabin-128', 'rabin-64-128-256', 'rabin-256-128-64', 'rabin-8-16-32', 'rabin-min:64-avg:128-max:256', 'rabin-x', 'rabin-1-2', 'buzhash', 'nonsense', '', 'size', 'size-1-2'], // prettier-ignore
  s: ['size-100'],
  hash: hashes,
  trickle: bools,
  inline: bools,
  'inline-limit': ['0', '1', '11', '32', '128', '129', '-1', 'x'],
  pin: bools,
  'pin-name': names,
  mode: ['0644', '644', '0', '7777', '4294967296', '-1', 'x', '0o755', '04755'],
  mtime: ['0', '1', '-1', '1700000000', '9223372036854775807', '-9223372036854775808', 'x', ''],
  'mtime-nsecs': ['0', '5', '999999999', '1000000000', '-1'],
  'preserve-mode': bools,
  'preserve-mtime': bools,
  quiet: bools,
  quieter: bools,
  silent: bools,
  recursive: bools,
  hidden: bools,
  'dereference-symlinks': bools,
  'cid-base': bases,
  'empty-dirs': bools,
  'max-file-links': ['2', '174', '8192', '0', '-1', 'x'],
  'max-directory-links': ['0', '1', '2', '-1', 'x'],
  'max-hamt-fanout': ['8', '256', '1024', '0', '100', '2048', 'x'],
}
