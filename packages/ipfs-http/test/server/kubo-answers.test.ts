import { gunzipSync } from 'node:zlib'
import { CID } from 'multiformats/cid'
import { expect, test } from 'vitest'
import { IpfsError } from '../../src/error.ts'
import { carOf } from '../local/read/dags.ts'
import { form, type PartText, type Served, serve } from './serve.ts'

// Answers of Kubo 0.41, recorded; `tooling/conformance/interop/kubo-differential` compares them with those of a real one.

const hello = 'Qmf412jQZiuVUtdgnB36FXFX7xg5V6KEbSJ4dpQuhkLyfD'
const directory = 'application/x-directory'

async function cidsOf(query: string, ...parts: readonly PartText[]): Promise<unknown[]> {
  const { post } = await serve()
  const { lines } = await post(`add?${query}`, form(...parts))
  return lines.map(({ Name, Hash }) => [Name, Hash])
}

test('a directory without a name, as Kubo’s Go client sends it, is told last and is what is pinned', async () => {
  const { post, ledger } = await serve()
  const { text } = await post('add', form({ file: '', type: directory }, { file: 'a', content: 'a' }))
  expect(text).toBe(
    '{"Name":"a","Hash":"QmfDmsHTywy6L9Ne5RXsj5YumDedfBLMvCvmaxjBoe6w4d","Size":"9"}\n' +
      '{"Name":"","Hash":"QmZijeEt7SDeKdj52Y5PBy4QrnhHHiUGcvTyt3a7yCFhtM","Size":"56"}\n',
  )
  expect(await ledger.list('alice', { limit: 9 })).toMatchObject([
    { cid: 'QmZijeEt7SDeKdj52Y5PBy4QrnhHHiUGcvTyt3a7yCFhtM' },
  ])
  const empty = await post('add', form({ file: '', type: directory }))
  expect(empty.text).toBe('{"Name":"","Hash":"QmUNLLsPACCz1vLxQVkXqqLX5R1X345qqfHbsf67hvA3Nn","Size":"4"}\n')
})

test.each([
  // As Kubo's command line sends a directory, and Node's `stat` a file.
  ['preserve-mode=true', 'file?mode=100644', 'QmWsRN29RMTV8iqacxdRxnfEDahiPX4Wg1Thx8Bf6PxvSa'],
  ['preserve-mode=true', 'file?mode=04755', 'QmbrWphjjL17MPdAUmguWS3mYQjvMgLpvwx34nvnj7PcXE'],
  ['preserve-mtime=true', 'file?mtime=9223372036854775807', 'QmWmhoVqTyhDRFjABzfv4SR5LVMjP1FHihREJfnZG5fQj3'],
  ['preserve-mtime=true', 'file?mtime-nsecs=7', 'QmZ2hNoYYmgMU84iYxMt9fqjmjwMC56hmHQhP9txYEjhcr'],
  ['preserve-mtime=true', 'file?mtime=1&mtime-nsecs=1000000000', 'QmWWQD4i5YwFyjhTeNwYdwf9C814pYqsQZgUHEwEvgTHJf'],
])('a file has the CID that it has in Kubo: %s, %s', async (query, name, cid) => {
  expect(await cidsOf(query, { file: 'x', name, content: 'm' })).toEqual([['x', cid]])
})

test('a directory has the mode that Go says of it, and one that is implied what the query says', async () => {
  const sent = { file: 'd', name: 'file?mode=020000000755', type: directory }
  expect((await cidsOf('preserve-mode=true', sent, { file: 'd%2Fa', content: 'x' })).at(-1)).toEqual([
    'd',
    'QmfDcp5gvpSh1SL831Tkkg5KvhFVnzDj4AuDcqvF2J1FNB',
  ])
  expect(await cidsOf('mode=0600', { file: 'd%2Fa', content: 'x' })).toEqual([
    ['d/a', 'Qmf8XHSAPbEUEEg6oH9JTpqk71vbagzfyPXyxrhLQpoFyN'],
    ['d', 'QmR58y3fnXLo7gnwGvbKppyuBG3zw7zmUFg517uFmVpCm7'],
  ])
  expect(await cidsOf('mtime=5', { file: 'd%2Fe%2Fa', content: 'x' })).toEqual([
    ['d/e/a', 'QmZepQRkvJrtaPDLic7WZre2PvTESMPEVh12ARXUiyQh9v'],
    ['d/e', 'QmeKobAJKFFWYrQsNjVosgyvScnNMdtup82ZocGDDadqbk'],
    ['d', 'QmP4mjLz4zgnMMsXAoWBY4Q4QMvEa8TnHHTTCRcbMnGd7G'],
  ])
})

test.each([
  ['040000755', 'QmP6gasp2g4cJY2w4vrqaDvgDQopjRJsiaGjuhcz9E5EAz', '040000755'],
  ['04000755', 'QmejkFUWjTSaaBB769svgqy9j6GccGLwwGbTtFiymrXA5M', '04000755'],
  ['060000755', 'QmWBKiHtvahy3RQvvwqkvStWiCWEHjBf48EYr2xyzBnGoW', '060000755'],
  ['037777777777', 'QmQ6MzLzGEHkxaxy2FMYReQgicLvZPvbq4Bi32CmaVFAM1', '064000777'],
])('setuid, setgid and sticky are those of Go: %s', async (mode, cid, reported) => {
  const { post } = await serve()
  const sent = await post('add?preserve-mode=true', form({ file: 'x', name: `file?mode=${mode}`, content: 'hello' }))
  expect(sent.lines).toMatchObject([{ Hash: cid, Mode: reported }])
  const asked = await post(`add?mode=${Number.parseInt(mode, 8)}`, form({ file: 'x', content: 'hello' }))
  expect(asked.lines).toMatchObject([{ Hash: cid, Mode: reported }])
})

const top = { file: '', name: 'dir?mode=0711', type: directory }
const dated = { file: '', name: 'dir?mode=0711&mtime=5', type: directory }
const plain = { file: 'x', content: 'hello' }
const below = { file: 'd%2Fx', name: 'file?mode=0644', content: 'hello' }

test.each<[string, readonly PartText[], string]>([
  ['w=true', [plain], 'QmYkmR6agULEaJe9G3W3ZpKNdLSwE3mAHthYvBw3ZgFqfT'],
  ['w=true&mode=0700', [plain], 'QmT7X6we4ismkxNCqJttjgpwZRQUG6oXFKgeEStSWeDpUc'],
  ['w=true&mode=0700&mtime=5', [plain], 'QmfMrtRco7gx4WRxwTTPnZ3N3m7b9tYAwKULTHtu1KEBXb'],
  ['w=true&mode=0700&mtime=5', [{ content: 'hello' }], 'QmU5QuRZSBDCdbwkwVwSAu7xpuW6DFuFbj1YoKeDPizBfR'],
  ['preserve-mode=true', [top, plain], 'QmRg8f51eCnnjJn5tz7eBXCdnsJGwGDf5MQrzxRJAznAAr'],
  ['preserve-mode=true', [top, { content: 'hello' }], 'QmQvTgkGgDSFKWMMpFCVGHyQRjQnebVp2tzVSdpzGRffq2'],
  ['preserve-mode=true', [top], 'QmcFS1ZPRowXRLrjWDpEqW4pHtV7rSCQsvpPZztSEeGPUE'],
  ['preserve-mode=true&preserve-mtime=true', [dated, below], 'QmRwKuoc82rev1BMkxYe9nm1PuArCy6gQwAduZ4Spq3HJi'],
  ['mode=0700&preserve-mode=true', [dated, plain], 'QmT7X6we4ismkxNCqJttjgpwZRQUG6oXFKgeEStSWeDpUc'],
  ['mode=0700&preserve-mtime=true', [{ ...dated, file: 'd' }, below], 'QmRw2vrJT83ZjkWHP9NnJQcD1E7dgZ8nX3x8QMpSGPcN2d'], // prettier-ignore
  ['w=true&mode=0700&preserve-mtime=true', [{ ...dated, file: 'd' }, below], 'QmVf2eWj4s785C89hBDfXsEjmt1p21ABaXxx7AcoyCdG6u'], // prettier-ignore
])(
  'a directory that holds all has the mode and time of the query, or those that are sent: %s',
  async (query, parts, cid) => {
    expect((await cidsOf(query, ...parts)).at(-1)).toContain(cid)
  },
)

test('silent uploads tell progress and directories, and an empty file has no number', async () => {
  const { post } = await serve()
  const silent = await post('add?silent=true&progress=true', form({ file: 'x', content: 'y' }))
  expect(silent.text).toBe('{"Name":"x","Bytes":1}\n')
  expect((await post('add?progress=true', form({ file: 'x' }))).lines[0]).toEqual({ Name: 'x' })
  const inside = { file: 'd%2Fa', content: 'x' }
  expect((await post('add?silent=true', form(inside))).text).toBe(
    '{"Name":"d","Hash":"QmdWVbkp8PyAqVjA4dNC2zGN4cS8g4WSy6VrP9XFVHWDfZ","Size":"56"}\n',
  )
})

test.each([
  ['mtime-nsecs=1000000000', 'option "mtime-nsecs" requires "mtime" to be provided as well'],
  ['mtime=1&mtime-nsecs=1000000000', 'mtime nanoseconds must be in range [1, 999999999]'],
  ['pin=false&pin-name=', 'pin-name option requires pin to be set'],
])('add?%s is refused in the words of Kubo', async (query, message) => {
  const { post } = await serve()
  expect((await post(`add?${query}`, form({ file: 'x' }))).lines).toMatchObject([{ Message: message }])
})

test.each([
  ['block/put', 'expected a file'],
  ['dag/put', 'expected a regular file'],
  ['dag/import', 'expected a file handle'],
])('%s takes no directory, and nothing in one', async (command, message) => {
  const { post } = await serve()
  for (const part of [{ file: 'd', type: directory }, { file: 'd%2Fx' }]) {
    expect((await post(command, form(part))).lines).toEqual([{ Message: message, Code: 0, Type: 'error' }])
  }
})

async function withHello(): Promise<Served> {
  const served = await serve()
  await served.post('add', form({ file: 'x', content: 'hello world' }))
  return served
}

test('arguments may be the lines of a file, as Kubo’s command line sends what is piped to it', async () => {
  const { post } = await withHello()
  const raw = (await post('add?cid-version=1', form({ file: 'x', content: 'hello world' }))).lines[0]!['Hash']
  const cat = await post('cat', form({ file: 'x', content: `${hello}\n${raw}\r\n` }, { file: 'y', content: 'skipped' }))
  expect(cat.text).toBe('hello worldhello world')
  expect((await post(`cat?arg=${hello}`, form({ content: 'y' }))).lines).toMatchObject([
    { Message: 'invalid path "y": path does not have enough components' },
  ])
  for (const command of [
    'get',
    'block/get',
    'block/stat',
    'dag/get',
    'dag/resolve',
    'dag/export',
    'pin/add',
    'pin/rm',
  ]) {
    expect((await post(command, form({ content: hello }))).status, command).toBe(200)
  }
  const none = await post('cat', form({ content: '' }))
  expect([none.status, none.text]).toEqual([400, 'argument "ipfs-path" is required\n'])
  const long = await post('cat', form({ content: 'x'.repeat(1_048_577) }))
  expect(long.lines).toMatchObject([{ Message: 'arguments may have 1048576 bytes' }])
  expect((await post('cat', form({ content: 'x\n'.repeat(1_001) }))).status).toBe(400)
})

test('get compresses a file, or an archive where one is asked for', async () => {
  const { post } = await withHello()
  const file = await post(`get?arg=${hello}&compress=true&compression-level=9`)
  expect(file.headers).toMatchObject({ 'content-type': 'application/gzip', 'x-stream-output': '1' })
  expect(String(gunzipSync(file.bytes))).toBe('hello world')
  const archive = gunzipSync((await post(`get?arg=${hello}&compress=true&archive=true`)).bytes)
  expect(archive.length % 512).toBe(0)
  expect(archive.toString('utf8', 0, hello.length)).toBe(hello)
  const upper = 'BAFYBEIHYKLD7UYXZOGAX6VGYVAG42Y7464EYWPF55GXI5QPOISIBH3C5WA'
  expect((await post(`get?arg=${upper}`)).text).toMatch(new RegExp(`^${upper}\\0`))
  const { lines } = await post('add', form({ file: 'd%2Ff' }))
  const refused = await post(`get?arg=${lines.at(-1)!['Hash']}&compress=true`)
  expect([refused.status, refused.lines]).toEqual([500, [{ Message: 'file is not regular', Code: 0, Type: 'error' }]])
})

test('a compressed file that breaks off ends with a trailer that says why', async () => {
  const { backend } = await serve()
  async function* broken(): AsyncGenerator<Uint8Array> {
    yield Buffer.from('begun')
    throw new IpfsError('not_found', 'block was not found')
  }
  const { post } = await serve({ backend: { ...backend, cat: async () => ({ size: 10n, bytes: broken() }) } })
  const answer = await post(`get?arg=${hello}&compress=true`)
  expect([answer.status, answer.trailers]).toEqual([200, { 'x-stream-error': 'block was not found' }])
})

test('paths are cleaned before they are read', async () => {
  const { post } = await withHello()
  const [file, root] = (await post('add', form({ file: 'd%2Ff', content: 'below' }))).lines.map(({ Hash }) => Hash)
  for (const path of [`//ipfs/${root}/f`, `/ipfs//${root}//f`, `/../ipfs/${root}/./f`, `${root}/x/../f`, `/${file}`]) {
    expect((await post(`cat?arg=${encodeURIComponent(path)}`)).text, path).toBe('below')
  }
  expect((await post(`cat?arg=${root}/../${hello}`)).text).toBe('hello world')
})

test('blocks are named in the base that is asked for, also of version 0', async () => {
  const { post } = await withHello()
  const named = async (base: string): Promise<unknown> =>
    (await post(`block/stat?arg=${hello}&cid-base=${base}`)).lines[0]!['Key']
  expect(await named('base58btc')).toBe(hello)
  expect(await named('base32')).toBe('bafybeihykld7uyxzogax6vgyvag42y7464eywpf55gxi5qpoisibh3c5wa')
})

test('what is asked for no length, or lies beyond it, is not looked at', async () => {
  const { post } = await withHello()
  for (const query of ['arg=nonsense&length=0', `arg=${hello}&arg=nonsense&length=11`]) {
    expect((await post(`cat?${query}`)).status, query).toBe(200)
  }
})

test('a root that stands twice in archives is told once', async () => {
  const { post } = await withHello()
  const car = { file: 'x.car', content: (await post(`dag/export?arg=${hello}`)).bytes }
  expect((await post('dag/import', form(car, car))).lines).toHaveLength(1)
})

test('a pin is not updated to what is pinned already', async () => {
  const { post, ledger } = await withHello()
  const other = (await post('add', form({ file: 'x', content: 'other' }))).lines[0]!['Hash']
  expect((await post(`pin/update?arg=${hello}&arg=${other}`)).lines).toMatchObject([
    { Message: "'to' cid was already recursively pinned" },
  ])
  expect((await post(`pin/update?arg=${hello}&arg=${hello}`)).status).toBe(200)
  expect(await ledger.list('alice', { limit: 9 })).toHaveLength(2)
})

test('an option of a client that nobody minds is read all the same', async () => {
  const { post } = await withHello()
  const answer = await post(`cat?arg=${hello}&stream-channels=12`)
  expect([answer.status, answer.text]).toEqual([
    400,
    'could not convert value "12" to type "bool" (for option "-stream-channels")\n',
  ])
  expect((await post(`cat?arg=${hello}&stream-channels=tRue&unknown=1`)).text).toBe('hello world')
})

const text = { file: 'x', content: '-9223372036854775808' }
const long = { file: 'x', content: new Uint8Array(129) }

test.each([
  ['add?hash=identity', 'bafkqafbnhezdemztg4zdamzwha2tinzxgu4daoa'],
  ['add?hash=identity&raw-leaves=false', 'bafyaahakdieaeequfu4temrtgm3tembtgy4dknbxg42tqmbydaka'],
  ['block/put?mhtype=identity', 'bafkqafbnhezdemztg4zdamzwha2tinzxgu4daoa'],
  ['block/put?mhtype=identity&mhlen=20', 'bafkqafbnhezdemztg4zdamzwha2tinzxgu4daoa'],
])('content may be its own CID: %s', async (command, cid) => {
  const { post } = await serve()
  const { lines } = await post(command, form(text))
  expect(lines[0]!['Hash'] ?? lines[0]!['Key']).toBe(cid)
  expect((await post(`block/get?arg=${cid}`)).status).toBe(200)
  expect((await post(`pin/add?arg=${cid}`)).lines).toEqual([{ Pins: [cid] }])
})

test.each(['add?hash=identity', 'block/put?mhtype=identity'])(
  'content beyond 128 bytes is no CID: %s',
  async (command) => {
    const { status, lines } = await (await serve()).post(command, form(long))
    expect([status, lines]).toEqual([
      500,
      [{ Message: 'digest too large: identity digest got 129 bytes, maximum 128', Code: 0, Type: 'error' }],
    ])
  },
)

test('a block has the length of digest that it is asked for, if that is the usual one of its hash', async () => {
  const { post } = await serve()
  const put = async (query: string): Promise<unknown> => (await post(`block/put?${query}`, form(text))).lines
  const sha256 = [{ Key: 'bafkreiefhbshp45pi7skbmyi5y5tu2en6fxiwiricbo5pvg42qvjqb6lpa', Size: 20 }]
  expect(await put('')).toEqual(sha256)
  expect(await put('mhlen=-1')).toEqual(sha256)
  expect(await put('mhlen=32&mhtype=sha2-256')).toEqual(sha256)
  expect(await put('mhlen=64&mhtype=sha2-512')).toEqual(await put('mhtype=sha2-512'))
  expect(await put('mhlen=64&mhtype=shake-256')).toEqual(await put('mhtype=shake-256'))
  expect(await put('mhlen=20')).toEqual([
    { Message: 'mhlen: digests of sha2-256 have 32 bytes here, asked for 20: leave it out', Code: 0, Type: 'error' },
  ])
})

test('a JOSE object is stored, read, walked and pinned with what it signs', async () => {
  const { post, ledger } = await serve()
  const target = (await post('dag/put', form({ file: 'x', content: '{"a":1}' }))).lines[0]!['Cid'] as { '/': string }
  const payload = Buffer.from(CID.parse(target['/']).bytes).toString('base64url')
  const object = JSON.stringify({ payload, signature: 'BAUG' })
  const [put] = (await post('dag/put?store-codec=dag-jose&pin=true', form({ file: 'x', content: object }))).lines
  const cid = (put!['Cid'] as { '/': string })['/']
  expect((await post(`dag/get?arg=${cid}/link/a`)).text).toBe('1')
  expect(await ledger.get('alice', cid)).toMatchObject({ type: 'recursive', bytes: 8192n })
  const car = (await post(`dag/export?arg=${cid}`)).bytes
  const other = await serve()
  expect((await other.post('dag/import?stats=true', form({ file: 'x', content: car }))).lines).toEqual([
    { Root: { Cid: { '/': cid }, PinErrorMsg: '' } },
    { Stats: { BlockCount: 2, BlockBytesCount: expect.any(Number) } },
  ])
})

test('an archive without some blocks of a root is kept, and the root says which is missing; other roots are pinned', async () => {
  const { post } = await withHello()
  const large = (await post('add', form({ file: 'x', content: Buffer.alloc(600_000, 'large') }))).lines[0]!['Hash']
  const root = CID.parse(String(large))
  const parent = (await post(`block/get?arg=${large}`)).bytes
  const missing = (await post(`refs?arg=${large}`)).lines.map((line) => String(line['Ref']))
  const whole = (await post(`dag/export?arg=${hello}`)).bytes
  const other = await serve()
  const partial = { file: 'partial.car', content: carOf([root], [[root, parent]]) }
  const { status, lines } = await other.post('dag/import?stats=true', form(partial, { file: 'x', content: whole }))
  expect([status, lines]).toEqual([
    200,
    [
      {
        Root: {
          Cid: { '/': large },
          // Several are read at a time.
          PinErrorMsg: expect.toSatisfy((words: string) =>
            missing.some((cid) => words === `block was not found locally (offline): ipld: could not find ${cid}`),
          ),
        },
      },
      { Root: { Cid: { '/': hello }, PinErrorMsg: '' } },
      { Stats: { BlockCount: 2, BlockBytesCount: parent.length + 19 } },
    ],
  ])
  expect(await other.ledger.list('alice', { limit: 9 })).toMatchObject([{ cid: hello }])
  expect((await other.post(`block/get?arg=${large}`)).status).toBe(200)
  // As of Kubo 0.42: nobody expects a partial archive to be pinned.
  expect((await other.post('dag/import?local-only=true', form(partial))).text).toBe('')
  expect((await other.post('dag/import?local-only=true&pin-roots=true', form(partial))).lines).toMatchObject([
    {
      Message:
        '--local-only implies --pin-roots=false and cannot be combined with --pin-roots=true; please drop one of them',
    },
  ])
})
