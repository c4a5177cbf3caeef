import { readFile } from 'node:fs/promises'
import { encode, type PBLink } from '@ipld/dag-pb'
import { CID } from 'multiformats/cid'
import { sha256 } from 'multiformats/hashes/sha2'
import { describe, expect, it } from 'vitest'
import { createIpfsClient, type IpfsClient, type IpfsClientOptions } from '../../src/index.ts'
import { allOf, type Call, header, readParts, refuse, sectionOf, startTestHost, type TestHost } from './test-host.ts'

// Each row is a host with one named behaviour: a call must fail with the code, or give only what is true.

const text = new TextEncoder()
const hello = text.encode('hello world')
const raw = 'bafkreifzjut3te2nhyekklss27nh3k72ysco7y32koao5eei66wof36n5e'
const other = 'bafkreihdwdcefgh4dqkjv67uzcmw7ojee6xedzdetojuzjevtenxquvyku'
const helloPb = 'Qmf412jQZiuVUtdgnB36FXFX7xg5V6KEbSJ4dpQuhkLyfD'

type Lie = (call: Call, host: TestHost) => unknown

async function meet(
  lie: Lie,
  run: (client: IpfsClient, host: TestHost) => Promise<unknown>,
  options: Partial<IpfsClientOptions> = {},
): Promise<unknown> {
  const box: TestHost[] = []
  await using host = await startTestHost(async (call) => (await lie(call, box[0]!)) === true)
  box.push(host)
  return await run(createIpfsClient({ url: host.url, verify: 'proven', timeoutMs: 5_000, ...options }), host)
}

/** Answers one call with a text or bytes. */
const saying =
  (path: string, answer: string | Uint8Array): Lie =>
  async ({ path: asked, request, response }) => {
    if (asked !== path) return false
    if (path === 'add') await readParts(request)
    // In two writes, so that the answer is chunked.
    response.write(answer)
    response.end()
    return true
  }

/** Answers `add` honestly, with each line changed. */
const changing = (change: (line: { Name: string; Hash: string; Size: string }, index: number) => unknown): Lie => {
  let index = 0
  return ({ path, response }) => {
    if (path !== 'add') return false
    const write = response.write.bind(response) as (text: string) => boolean
    response.write = ((line: string) => {
      const changed = change(JSON.parse(line) as never, index++)
      return changed === undefined
        ? true
        : write(`${typeof changed === 'string' ? changed : JSON.stringify(changed)}\n`)
    }) as never
    return false
  }
}

/** Drops the pins of uploads: what a trailer would tell. */
const unpinned =
  (answer: (call: Call) => unknown): Lie =>
  (call) => {
    if (call.path !== 'pin/ls') return false
    answer(call)
    return true
  }

const lines = (...values: object[]): string => values.map((value) => `${JSON.stringify(value)}\n`).join('')
const two = [
  { path: 'a', content: 'one' },
  { path: 'b', content: 'two' },
]
const addHello = (client: IpfsClient): Promise<unknown> => client.add(hello)
const addTwo = (client: IpfsClient): Promise<unknown> => allOf(client.addAll(two))

type Row = readonly [
  name: string,
  lie: Lie,
  run: (client: IpfsClient, host: TestHost) => Promise<unknown>,
  code: string,
]

const uploads: readonly Row[] = [
  ['gives another CID', changing((line) => ({ ...line, Hash: helloPb.replace('Qmf4', 'Qmf5') })), addHello, 'mismatch'],
  [
    'gives the CID of other content',
    changing((line) => ({ ...line, Hash: raw })),
    (client) => client.add('x'),
    'mismatch',
  ],
  [
    'gives the same hash with another codec',
    changing((line) => ({ ...line, Hash: CID.create(1, 0x55, CID.parse(line.Hash).multihash).toString() })),
    addHello,
    'mismatch',
  ],
  [
    'swaps the CIDs of two files',
    saying(
      'add',
      lines(
        { Name: 'a', Hash: 'QmbSnCcHziqhjNRyaunfcCvxPiV3fNL3fWL8nUrp5yqwD5', Size: '11' },
        { Name: 'b', Hash: helloPb, Size: '11' },
      ),
    ),
    addTwo,
    'mismatch',
  ],
  ['leaves a file out', changing((line, index) => (index === 0 ? undefined : line)), addTwo, 'truncated'],
  [
    'adds a file of its own',
    changing((line) => `${JSON.stringify(line)}\n${JSON.stringify({ ...line, Name: 'evil' })}`),
    addTwo,
    'mismatch',
  ],
  ['tells of one without a name', changing((line) => ({ ...line, Name: undefined })), addTwo, 'invalid_response'],
  ['tells a name that is a number', changing((line) => ({ ...line, Name: 1 })), addTwo, 'invalid_response'],
  [
    'tells a hash that is an object',
    changing((line) => ({ ...line, Hash: { '/': line.Hash } })),
    addTwo,
    'invalid_response',
  ],
  ['tells a size that is a word', changing((line) => ({ ...line, Size: 'big' })), addTwo, 'invalid_response'],
  ['answers an array', changing((line) => [line]), addTwo, 'truncated'],
  ['answers null', changing(() => 'null'), addTwo, 'invalid_response'],
  ['answers an error with status 200', changing(() => ({ Message: 'no', Type: 'error' })), addTwo, 'stream_error'],
  ['answers nothing', saying('add', ''), addTwo, 'truncated'],
  [
    'answers progress without an end',
    saying('add', '{"Name":"a","Bytes":1}\n'.repeat(20_000)),
    addTwo,
    'invalid_response',
  ],
  ['answers a line without an end', saying('add', ' '.repeat(2_000_000)), addTwo, 'too_large'],
  [
    'tells a hash that steers a terminal, verify off',
    changing((line) => ({ ...line, Hash: '\u009b2J' })),
    (client) => client.add(hello, { verify: 'off' }),
    'invalid_response',
  ],
  ['tells a mode that is a word', changing((line) => ({ ...line, Mode: 'rwx' })), addHello, 'invalid_response'],
  [
    'tells a time of more than a second',
    changing((line) => ({ ...line, Mtime: 1, MtimeNsecs: 1e9 })),
    addHello,
    'invalid_response',
  ],
  ['tells a time with a fraction', changing((line) => ({ ...line, Mtime: 1.5 })), addHello, 'invalid_response'],
  [
    'redirects an upload',
    ({ path, response }) => path === 'add' && (response.writeHead(307, { location: '/x' }).end(), true),
    addHello,
    'connect',
  ],
]

const noBlock: Lie = ({ path, response }) =>
  path === 'block/stat' && refuse(response, 500, 'block was not found locally (offline): ipld: could not find')
const named: Lie = unpinned(({ response }) =>
  response.end(`{"Keys":{"${helloPb}":{"Type":"recursive","Name":"another"}}}`),
)
const unpinnedHello = (client: IpfsClient): Promise<unknown> => client.add(hello, { pin: false })

/** Sends the first `length` bytes of "hello world", or of a part of it, as if they were all. */
const cutting =
  (length: number): Lie =>
  ({ path, query, response }) => {
    if (path !== 'cat') return refuse(response, 404, '404 page not found', 'text')
    const from = Number(query.get('offset') ?? 0)
    const most = Number(query.get('length') ?? length)
    response.writeHead(200, { trailer: 'X-Stream-Error' })
    response.write(hello.subarray(from, from + most))
    response.addTrailers({ 'X-Stream-Error': 'the disk is gone' })
    response.end()
    return true
  }
const catPlain = (client: IpfsClient): Promise<unknown> => client.cat(helloPb, { verify: 'off' }).bytes()

/** Failures that a host tells in a trailer, which `fetch` hides. */
const trailers: readonly Row[] = [
  [
    'fails to pin after all lines',
    unpinned(({ response }) => refuse(response, 500, `path '${helloPb}' is not pinned`)),
    addHello,
    'stream_error',
  ],
  [
    'fails to pin a directory after all lines',
    unpinned(({ response }) => refuse(response, 500, 'not pinned')),
    (client) => client.add({ path: 'a/b', content: 'x' }),
    'stream_error',
  ],
  [
    'fails to pin after all lines, verify off',
    unpinned(({ response }) => refuse(response, 500, 'not pinned')),
    (client) => client.add(hello, { verify: 'off' }),
    'stream_error',
  ],
  ['lists no pins after all lines', unpinned(({ response }) => response.end('{"Keys":{}}')), addHello, 'stream_error'],
  [
    'lists another pin after all lines',
    unpinned(({ response }) => response.end(`{"Keys":{"${raw}":{"Type":"recursive"}}}`)),
    addHello,
    'stream_error',
  ],
  ['lists pins that are none', unpinned(({ response }) => response.end('{"Keys":1}')), addHello, 'invalid_response'],
  ['lists pins in HTML', unpinned(({ response }) => response.end('<html>')), addHello, 'invalid_response'],
  ['fails to store after all lines, without a pin', noBlock, unpinnedHello, 'stream_error'],
  [
    'has another block after all lines, without a pin',
    saying('block/stat', `{"Key":"${raw}","Size":11}`),
    unpinnedHello,
    'stream_error',
  ],
  ['fails to name a pin after all lines', named, (client) => client.add(hello, { pinName: 'mine' }), 'stream_error'],
  ['breaks off a file of unknown length', cutting(4), catPlain, 'truncated'],
  ['breaks off a file of unknown length before its first byte', cutting(0), catPlain, 'truncated'],
]

/** The same, where the host has no call that would tell. */
const hidden: readonly (readonly [name: string, lie: Lie, run: Row[2]])[] = [
  [
    'fails to pin after all lines, and has no pin/ls',
    unpinned(({ response }) => refuse(response, 404, '404 page not found', 'text')),
    addHello,
  ],
  [
    'fails to store after all lines, and has no block/stat',
    ({ path, response }) => path === 'block/stat' && refuse(response, 405, '405 - Method Not Allowed', 'text'),
    unpinnedHello,
  ],
  [
    'fails to name a pin after all lines, and tells no names',
    unpinned(({ response }) => response.end(`{"Keys":{"${helloPb}":{"Type":"recursive"}}}`)),
    (client) => client.add(hello, { pinName: 'mine' }),
  ],
  [
    'breaks off a file of unknown length, and knows no ranges',
    ({ path, response }) => {
      if (path !== 'cat') return refuse(response, 404, '404 page not found', 'text')
      response.write('hell')
      response.end()
      return true
    },
    catPlain,
  ],
  [
    'breaks off a list of pins',
    saying('pin/ls', `{"Cid":"${raw}","Type":"recursive"}\n`),
    (client) => allOf(client.pin.ls()),
  ],
]

const stat = (client: IpfsClient): Promise<unknown> => client.block.stat(raw, { verify: 'consistent' })
const put = (client: IpfsClient): Promise<unknown> => client.block.put(hello)

const answers: readonly Row[] = [
  ['puts a block under another CID', saying('block/put', `{"Key":"${other}","Size":11}`), put, 'mismatch'],
  [
    'puts a block under another codec',
    saying('block/put', `{"Key":"${CID.create(1, 0x70, CID.parse(raw).multihash)}","Size":11}`),
    put,
    'mismatch',
  ],
  ['puts a block of another size', saying('block/put', `{"Key":"${raw}","Size":12}`), put, 'mismatch'],
  ['puts a block of no size', saying('block/put', `{"Key":"${raw}"}`), put, 'invalid_response'],
  ['tells the size of another block', saying('block/stat', `{"Key":"${other}","Size":11}`), stat, 'mismatch'],
  ['tells a size below 0', saying('block/stat', `{"Key":"${raw}","Size":-1}`), stat, 'invalid_response'],
  ['tells a size with a fraction', saying('block/stat', `{"Key":"${raw}","Size":1.5}`), stat, 'invalid_response'],
  ['tells a size beyond 2^53', saying('block/stat', `{"Key":"${raw}","Size":1e300}`), stat, 'invalid_response'],
  [
    'has another block where its size is measured',
    saying('block/get', 'hello'),
    (client) => client.block.stat(raw),
    'mismatch',
  ],
  ['gives another block', saying('block/get', 'HELLO WORLD'), (client) => client.block.get(raw), 'mismatch'],
  ['gives a block and more', saying('block/get', 'hello world!'), (client) => client.block.get(raw), 'mismatch'],
  ['gives an empty block', saying('block/get', ''), (client) => client.block.get(raw), 'mismatch'],
  [
    'gives a block of 5 MiB',
    saying('block/get', new Uint8Array(5 << 20)),
    (client) => client.block.get(raw),
    'too_large',
  ],
  ['pins another CID', saying('pin/add', `{"Pins":["${other}"]}\n`), (client) => client.pin.add(raw), 'mismatch'],
  ['pins text', saying('pin/add', '{"Pins":["x"]}\n'), (client) => client.pin.add(raw), 'mismatch'],
  ['pins nothing', saying('pin/add', '{"Pins":[]}\n'), (client) => client.pin.add(raw), 'invalid_response'],
  ['ends before it pinned', saying('pin/add', '{"Progress":1}\n'), (client) => client.pin.add(raw), 'truncated'],
  ['unpins another CID', saying('pin/rm', `{"Pins":["${other}"]}`), (client) => client.pin.rm(raw), 'mismatch'],
  [
    'moves a pin to another CID',
    saying('pin/update', `{"Pins":["${raw}","${helloPb}"]}`),
    (client) => client.pin.update(raw, other),
    'mismatch',
  ],
  [
    'lists another pin than asked',
    saying('pin/ls', `{"Cid":"${other}","Type":"recursive"}\n`),
    (client) => allOf(client.pin.ls({ cid: raw })),
    'mismatch',
  ],
  [
    'lists pins of no type',
    saying('pin/ls', `{"Cid":"${raw}"}\n`),
    (client) => allOf(client.pin.ls()),
    'invalid_response',
  ],
  [
    'redirects to itself',
    ({ response }) => (response.writeHead(302, { location: '/api/v0/id' }).end(), true),
    (client) => client.id(),
    'http_status',
  ],
  ['answers JSON without an end', saying('id', `"${'x'.repeat(5 << 20)}`), (client) => client.id(), 'too_large'],
  ['answers null', saying('version', 'null'), (client) => client.version(), 'invalid_response'],
  ['answers a list', saying('id', '[]'), (client) => client.id(), 'invalid_response'],
  [
    'pins without an end',
    saying('pin/add', '{}\n'.repeat(1_000_001)),
    (client) => client.pin.add(raw),
    'invalid_response',
  ],
  [
    'lists a pin that steers a terminal',
    saying('pin/ls', '{"Cid":"\u009b2J","Type":"recursive"}\n'),
    (client) => allOf(client.pin.ls()),
    'invalid_response',
  ],
  [
    'lists a link to a path',
    saying('ls', '{"Objects":[{"Links":[{"Name":"a","Hash":"../../etc"}]}]}'),
    (client) => allOf(client.ls(helloPb, { verify: 'off' })),
    'invalid_response',
  ],
  [
    'stores a node under a path',
    saying('dag/put', '{"Cid":{"/":"/ipns/evil"}}'),
    (client) => client.dag.put({}),
    'invalid_response',
  ],
  [
    'resolves a CID to another one',
    saying('dag/resolve', `{"Cid":{"/":"${other}"},"RemPath":""}`),
    (client) => client.dag.resolve(raw),
    'mismatch',
  ],
  [
    'sends more bytes than it announced, without an end',
    ({ path, response }) => {
      if (path !== 'cat') return false
      response.setHeader('x-content-length', 4)
      const timer = setInterval(() => response.write('hello'), 5)
      response.on('close', () => clearInterval(timer))
      return true
    },
    catPlain,
    'invalid_response',
  ],
  ['answers JSON twice', saying('version', '{}{}'), (client) => client.version(), 'invalid_response'],
]

async function keep(host: TestHost, data: Uint8Array, links: readonly CID[], name = ''): Promise<CID> {
  const bytes = encode({ Data: data, Links: links.map((Hash): PBLink => ({ Name: name, Hash, Tsize: 0 })) })
  const cid = CID.create(1, 0x70, await sha256.digest(bytes))
  host.blocks.set(cid.toString(), bytes)
  return cid
}

async function leaf(host: TestHost, bytes: string): Promise<CID> {
  const cid = CID.create(1, 0x55, await sha256.digest(text.encode(bytes)))
  host.blocks.set(cid.toString(), text.encode(bytes))
  return cid
}

/** UnixFS data of a file: its own size, and those of its parts. */
const file = (size: number, ...parts: number[]): Uint8Array =>
  Uint8Array.of(8, 2, 0x18, size, ...parts.flatMap((part) => [0x20, part]))

const honest: Lie = () => false
const cat =
  (sizes: Uint8Array, ...leaves: string[]) =>
  async (client: IpfsClient, host: TestHost): Promise<unknown> => {
    const links: CID[] = []
    for (const each of leaves) links.push(await leaf(host, each))
    return client.cat(`${await keep(host, sizes, links)}`).bytes()
  }

const contents: readonly Row[] = [
  ['holds a file that claims 8 bytes, and 4 in its parts', honest, cat(file(8, 4), 'abcd'), 'bad_content'],
  ['holds a file that claims 4 bytes, and 8 in its parts', honest, cat(file(4, 4, 4), 'abcd', 'efgh'), 'bad_content'],
  ['holds a part with bytes where its parent claims none', honest, cat(file(4, 4, 0), 'abcd', 'efgh'), 'bad_content'],
  [
    'holds a first part with bytes where its parent claims none',
    honest,
    cat(file(4, 0, 4), 'abcd', 'efgh'),
    'bad_content',
  ],
  ['holds a part that is too short', honest, cat(file(8, 4, 4), 'abcd', 'ef'), 'bad_content'],
  ['holds a part that is too long', honest, cat(file(8, 4, 4), 'abcd', 'efghi'), 'bad_content'],
  ['holds fewer sizes than parts', honest, cat(file(4, 4), 'abcd', 'efgh'), 'bad_content'],
  [
    'holds a directory as a part of a file',
    honest,
    async (client, host) =>
      client.cat(`${await keep(host, file(4, 4), [await keep(host, Uint8Array.of(8, 1), [])])}`).bytes(),
    'bad_content',
  ],
  [
    'holds parts without a byte, in masses',
    honest,
    async (client, host) => {
      let cid = await keep(host, file(0), [])
      for (let level = 0; level < 8; level++)
        cid = await keep(
          host,
          file(0, 0, 0, 0, 0, 0, 0, 0, 0),
          Array.from({ length: 8 }, () => cid),
        )
      return client.cat(`${cid}`).bytes()
    },
    'bad_content',
  ],
  [
    'holds a file 80 levels deep',
    honest,
    async (client, host) => {
      let cid = await leaf(host, 'abcd')
      for (let level = 0; level < 80; level++) cid = await keep(host, file(4, 4), [cid])
      return client.cat(`${cid}`).bytes()
    },
    'bad_content',
  ],
  [
    'holds a directory with one name twice',
    honest,
    async (client, host) => {
      const cid = await leaf(host, 'abcd')
      return allOf(client.ls(`${await keep(host, Uint8Array.of(8, 1), [cid, cid], 'x')}`))
    },
    'bad_content',
  ],
  [
    'holds no UnixFS',
    honest,
    async (client, host) => client.cat(`${await keep(host, Uint8Array.of(1, 2, 3), [])}`).bytes(),
    'bad_content',
  ],
  [
    'leaves a block out of its archive',
    ({ path, response }, host) => {
      if (path === 'block/get') return refuse(response, 404, 'no', 'text')
      if (path !== 'dag/export') return false
      const [cid, bytes] = [...host.blocks].at(-1)!
      response.end(Buffer.concat([header, sectionOf(CID.parse(cid), bytes)]))
      return true
    },
    cat(file(8, 4, 4), 'abcd', 'efgh'),
    'truncated',
  ],
  [
    'sends an archive of one false block',
    ({ path, response }, host) => {
      if (path !== 'dag/export') return false
      const [cid, bytes] = [...host.blocks].at(-1)!
      response.end(
        Buffer.concat([
          header,
          sectionOf(
            CID.parse(cid),
            bytes.map((byte) => byte ^ 1),
          ),
        ]),
      )
      return true
    },
    cat(file(4, 4), 'abcd'),
    'mismatch',
  ],
]

describe('a hostile host', () => {
  it.each([...uploads, ...answers, ...contents, ...trailers])('that %s', async (_, lie, run, code) => {
    await expect(meet(lie, run)).rejects.toMatchObject({ code })
  })

  it.each(hidden)('that %s is believed', async (_, lie, run) => {
    await expect(meet(lie, run)).resolves.toBeDefined()
  })

  it('that sends a file of unknown length in full is asked for its end, and believed', async () => {
    await meet(cutting(11), async (client, host) => {
      expect(Buffer.from((await catPlain(client)) as Uint8Array).toString()).toBe('hello world')
      expect(host.calls).toEqual(['cat', 'cat'])
    })
  })

  it.each([0, 1, 2, 3, 4, 5])('that knows no ranges is believed to have sent a file of %i bytes', async (bytes) => {
    const whole: Lie = ({ path, response }) => {
      if (path !== 'cat') return false
      response.write('x'.repeat(bytes))
      response.end()
      return true
    }
    await meet(whole, async (client) => expect(await catPlain(client)).toHaveLength(bytes))
  })

  it.each([1, 2, 3, 4])('that knows ranges, and cuts a file after %i bytes, is not believed', async (bytes) => {
    await expect(meet(cutting(bytes), catPlain)).rejects.toMatchObject({ code: 'truncated' })
  })

  it('is counted on the page of the package', async () => {
    const readme = await readFile(new URL('../../../../docs/packages/ipfs-http.md', import.meta.url), 'utf8')
    const table = /\n\| a hostile host \|[^]*?\n\n/.exec(readme)?.[0] ?? ''
    const counts = [...table.matchAll(/\| (\d+) \| (\d+) \|/g)].map(([, cases, reported]) => [
      Number(cases),
      Number(reported),
    ])
    const whole = (rows: readonly unknown[]): number[] => [rows.length, rows.length]
    expect(counts).toEqual([
      whole(uploads),
      whole(answers),
      whole(contents),
      [trailers.length + hidden.length, trailers.length],
    ])
  })

  it('that lies about the size of an upload is not believed', async () => {
    const lie = changing((line) => ({ ...line, Size: '1' }))
    expect(await meet(lie, addHello)).toMatchObject({ cid: helloPb, size: 19, verification: 'proven' })
  })

  it('that has no pin/ls is believed', async () => {
    const lie = unpinned(({ response }) => refuse(response, 404, 'no', 'text'))
    expect(await meet(lie, addHello)).toMatchObject({ cid: helloPb })
  })

  it('that tells the length of its answer to an upload is not asked again', async () => {
    const line = lines({ Name: helloPb, Hash: helloPb, Size: '19' })
    const lie: Lie = async ({ path, request, response }) => {
      if (path !== 'add') return false
      await readParts(request)
      response.setHeader('content-length', line.length).end(line)
      return true
    }
    await meet(lie, async (client, host) => {
      await client.add(hello)
      expect(host.calls).toEqual(['add'])
    })
  })

  it('reads parts of no bytes where sizes agree, and ranges as before', async () => {
    const sizes = file(8, 0, 4, 0, 4, 0)
    const read = async (client: IpfsClient, host: TestHost): Promise<unknown> => {
      const links = await Promise.all(['', 'abcd', '', 'efgh', ''].map((each) => leaf(host, each)))
      const cid = `${await keep(host, sizes, links)}`
      const ranges = [{}, { offset: 2, length: 4 }, { offset: 4 }, { offset: 8 }, { length: 0 }]
      return Promise.all(ranges.map(async (range) => new TextDecoder().decode(await client.cat(cid, range).bytes())))
    }
    expect(await meet(honest, read)).toEqual(['abcdefgh', 'cdef', 'efgh', '', ''])
  })

  const dripping: Lie = ({ path, response }) => {
    if (path === 'add') return false
    // The beginning of a block of a million bytes, in an archive.
    const block = Buffer.concat([header, Buffer.from([0xc0, 0x84, 0x3d]), CID.parse(raw).bytes])
    response.write(path === 'dag/export' ? block : '{')
    const timer = setInterval(() => response.write(' '), 5)
    response.on('close', () => clearInterval(timer))
    return true
  }

  it.each<readonly [string, (client: IpfsClient) => Promise<unknown>]>([
    ['JSON', (client) => client.id()],
    ['an archive', (client) => client.cat(helloPb).bytes()],
    ['plain bytes', (client) => client.cat(helloPb, { verify: 'off' }).bytes(1 << 20)],
    ['lines of pins', (client) => allOf(client.pin.ls())],
    ['an answer that confirms a pin', (client) => client.add(hello)],
  ])('that drips bytes for ever is left at the deadline: %s', async (_, run) => {
    await expect(meet(dripping, run, { deadlineMs: 200 })).rejects.toMatchObject({
      code: 'timeout',
      message: expect.stringContaining('deadlineMs'),
    })
  })
})
