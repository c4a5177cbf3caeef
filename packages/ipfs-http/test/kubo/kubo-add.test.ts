import { type AddressInfo, createServer } from 'node:net'
import { expect, test } from 'vitest'
import type { AddEntry, AddOptions, BackendCall } from '../../src/backend.ts'
import type { IpfsError } from '../../src/error.ts'
import { createKuboBackend } from '../../src/kubo/index.ts'
import { profiles } from '../../src/unixfs/profile.ts'
import { fakeClock } from '../fake-clock.ts'
import { all, form, serve } from '../server/serve.ts'
import { fakeKubo, refuse } from './fake-kubo.ts'

const hello = 'Qmf412jQZiuVUtdgnB36FXFX7xg5V6KEbSJ4dpQuhkLyfD'
const other = 'QmZgXVXib4PvwtBHSMY489VJAX8x6Gc3ZZghA8R1qBJ5VF'

const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve))

const options: AddOptions = {
  ...profiles['unixfs-v0-2015'],
  hash: 'sha2-256',
  emptyDirs: true,
  trickle: false,
  inline: false,
  inlineLimit: 32,
  wrapWithDirectory: false,
  pin: true,
  onlyHash: false,
  preserveMode: false,
  preserveMtime: false,
  progress: false,
}

function call(): BackendCall & { readonly end: () => void } {
  const controller = new AbortController()
  return { signal: controller.signal, end: () => controller.abort() }
}

async function failureOf(work: Promise<unknown>): Promise<Pick<IpfsError, 'code' | 'message'>> {
  const { code, message } = await work.then(
    () => expect.fail('it succeeded'),
    (thrown: IpfsError) => thrown,
  )
  return { code, message }
}

async function* x(): AsyncGenerator<Uint8Array> {
  yield Buffer.from('x')
}

async function* filesOf(...paths: readonly string[]): AsyncGenerator<AddEntry> {
  for (const path of paths) yield { type: 'file', path, content: x() }
}

async function* oneFile(content: AsyncIterable<Uint8Array>): AsyncGenerator<AddEntry> {
  yield { type: 'file', path: '', content }
}

test('the line of progress of an empty file has no bytes, and is told', async () => {
  const { backend } = await fakeKubo((_, response) =>
    response.end(`{"Name":"e"}\n{"Name":"e","Hash":"${hello}","Size":"6"}\n`),
  )
  const events = await all(backend.add(filesOf('e'), { ...options, onlyHash: true, progress: true }, call()))
  expect(events).toMatchObject([{ type: 'progress', path: 'e', bytes: 0 }, { type: 'added' }])
})

test('a node that refuses an upload before its end is heard, and the rest of it is not asked for', async () => {
  const { backend } = await fakeKubo((_, response) => refuse(response, 'the disk is full'))
  let chunks = 0
  const adding = call()
  async function* endless(): AsyncGenerator<Uint8Array> {
    for (; !adding.signal.aborted; chunks++) {
      yield new Uint8Array(65_536)
      await turn()
    }
  }
  const failure = failureOf(all(backend.add(oneFile(endless()), options, adding)))
  expect(await failure).toEqual({ code: 'http_status', message: 'the disk is full' })
  adding.end()
  const asked = chunks
  await turn()
  await turn()
  expect(chunks).toBeLessThanOrEqual(asked + 1)
})

test('an upload that breaks off hears what the node has pinned, and ends with the reason of the caller', async () => {
  const line = `{"Name":"a","Hash":"${hello}","Size":"19"}\n`
  let began = (): void => {}
  const beginning = new Promise<void>((resolve) => {
    began = resolve
  })
  // As Kubo does, and no server of Node: it answers after the other side has ended in the middle of its request.
  const node = createServer({ allowHalfOpen: true }, (socket) => {
    const answer = (status: string, body: string): unknown =>
      socket.end(`HTTP/1.1 ${status}\r\nConnection: close\r\nContent-Length: ${body.length}\r\n\r\n${body}`)
    socket.once('data', (head) => {
      const isAboutPins = `${head}`.includes('/pin/ls')
      if (`${head}`.includes('/pin/ls?arg=')) answer('500 Internal Server Error', '{"Message":"path is not pinned"}')
      else if (isAboutPins) answer('200 OK', '')
      else {
        began()
        socket.on('end', () => answer('200 OK', line))
      }
    })
  })
  await new Promise<void>((resolve) => node.listen(0, '127.0.0.1', resolve))
  const backend = createKuboBackend({ url: `http://127.0.0.1:${(node.address() as AddressInfo).port}` })
  async function* broken(): AsyncGenerator<Uint8Array> {
    yield Buffer.from('begun')
    await beginning
    throw new Error('the caller left')
  }
  const reported: string[] = []
  const adding = (async () => {
    for await (const { type } of backend.add(oneFile(broken()), options, call())) reported.push(type)
  })()
  await expect(adding).rejects.toThrow('the caller left')
  expect(reported).toEqual(['added', 'root'])
  await backend.close()
  node.close()
})

test('a node that says nothing more of an upload that broke off is left after a while', async () => {
  const clock = fakeClock()
  const ended: Promise<unknown>[] = []
  const { url } = await fakeKubo((request) => {
    request.socket.allowHalfOpen = true
    ended.push(new Promise((resolve) => request.socket.on('close', resolve)))
    request.resume().on('error', () => {})
  })
  const backend = createKuboBackend({ url, clock })
  const adding = call()
  async function* broken(): AsyncGenerator<Uint8Array> {
    yield Buffer.from('begun')
    while (ended.length === 0) await turn()
    adding.end()
    await new Promise(() => {})
  }
  const failure = failureOf(all(backend.add(oneFile(broken()), options, adding)))
  await clock.waiting()
  clock.advance(5_000)
  expect(await failure).toEqual({ code: 'aborted', message: 'the call was ended' })
  await ended[0]
  await backend.close()
})

test('what a node tells as root and has not pinned is pinned, since an error in its trailer may get lost', async () => {
  const pins = new Map([[other, 'wayleave']])
  const { backend, asked } = await fakeKubo(
    async (request, response) => {
      for await (const _ of request) continue
      if (request.url!.includes('pin/add')) return void response.end('{"Pins":[]}\n')
      const lines = [hello, other].map((hash) => `{"Name":"a","Hash":"${hash}","Size":"19"}\n`)
      response.end(lines.join(''))
    },
    { pins },
  )
  await all(backend.add(filesOf('a'), options, call()))
  expect(asked[0]).toContain('&pin=true&pin-name=wayleave&')
  expect(asked.slice(1)).toEqual([`pin/add?arg=${hello}&recursive=true&name=wayleave&progress=true`])
})

test('an upload of what others have pinned gives them back their name', async () => {
  const pins = new Map([[hello, 'theirs']])
  const { backend, asked } = await fakeKubo(
    async (request, response) => {
      for await (const _ of request) continue
      if (request.url!.includes('pin/add')) return void response.end('{"Pins":[]}\n')
      pins.set(hello, 'wayleave')
      response.end(`{"Name":"a","Hash":"${hello}","Size":"19"}\n`)
    },
    { pins },
  )
  await all(backend.add(filesOf('a'), options, call()))
  expect(asked.slice(1)).toEqual([`pin/add?arg=${hello}&recursive=true&name=theirs&progress=true`])
})

test('a node with more pins of others than are kept in mind pins no upload before it was looked at', async () => {
  const pins = new Map(Array.from({ length: 10_001 }, (_, i) => [`Qm${i}`, 'theirs']))
  const { backend, asked } = await fakeKubo(
    async (request, response) => {
      for await (const _ of request) continue
      if (request.url!.includes('pin/add')) return void response.end('{"Pins":[]}\n')
      response.end(`{"Name":"a","Hash":"${hello}","Size":"19"}\n`)
    },
    { pins },
  )
  await all(backend.add(filesOf('a'), options, call()))
  expect(asked[0]).toContain('&pin=false&')
  expect(asked[1]).toContain(`pin/add?arg=${hello}&recursive=true&name=wayleave`)
  pins.set(hello, 'theirs')
  asked.length = 0
  await all(backend.add(filesOf('a'), options, call()))
  expect(asked).toHaveLength(1)
})

test.each([
  ['takes no more of an upload', 'reads'],
  ['has all of an upload and does not answer', 'answers'],
  ['falls silent in the middle of its answer', 'ends'],
])('a node that %s is left after five minutes', async (_what, stops) => {
  const clock = fakeClock()
  let heard = (): void => {}
  const hearing = new Promise<void>((resolve) => (heard = resolve))
  const { backend } = await fakeKubo(
    async (request, response) => {
      if (stops === 'reads') return request.pause() && heard()
      for await (const _ of request) continue
      if (stops === 'ends') response.write(`{"Name":"a","Hash":"${hello}","Size":"19"}\n`)
      heard()
    },
    { clock },
  )
  async function* content(): AsyncGenerator<Uint8Array> {
    for (let i = 0; i < (stops === 'reads' ? 1_000 : 1); i++) yield new Uint8Array(65_536)
  }
  const reported: string[] = []
  const adding = (async () => {
    for await (const { type } of backend.add(oneFile(content()), { ...options, pin: false }, call()))
      reported.push(type)
  })()
  const failure = failureOf(adding)
  await hearing
  if (stops === 'ends') while (reported.length < 2) await turn()
  const over = failure.then(() => true)
  const isOver = (): Promise<boolean> => Promise.race([over, turn().then(() => false)])
  while (!(await isOver())) clock.advance(300_000)
  expect(await failure).toEqual({ code: 'timeout', message: 'the IPFS node fell silent in the middle of a call' })
})

test('a caller that leaves while the pins of a node are listed takes no other with it', async () => {
  const [leaving, staying] = [call(), call()]
  const { backend } = await fakeKubo(async (request, response) => {
    for await (const _ of request) continue
    if (request.url!.includes('pin/add')) return void response.end('{"Pins":[]}\n')
    response.end(`{"Name":"a","Hash":"${hello}","Size":"19"}\n`)
  })
  const first = failureOf(all(backend.add(filesOf('a'), options, leaving)))
  const second = all(backend.add(filesOf('a'), options, staying))
  leaving.end()
  expect((await first).code).toBe('aborted')
  expect(await second).toHaveLength(2)
})

test('an import whose end a node left out is refused, as a root may lack', async () => {
  let end = ''
  const { backend, asked } = await fakeKubo(async (request, response) => {
    for await (const _ of request) continue
    if (request.url!.includes('pin/add')) return void response.end('{"Pins":[]}\n')
    response.end(`{"Root":{"Cid":{"/":"${hello}"},"PinErrorMsg":""}}\n${end}`)
  })
  const failure = await failureOf(all(backend.importCar(x(), call())))
  expect(failure).toEqual({ code: 'invalid_response', message: 'the IPFS node left out the end of dag/import' })
  end = '{"Stats":{"BlockCount":1,"BlockBytesCount":19}}\n'
  asked.length = 0
  expect((await all(backend.importCar(x(), call()))).map(({ type }) => type)).toEqual(['progress', 'root'])
  // The node has pinned it without a name.
  expect(asked).toEqual([
    'dag/import?pin-roots=true&stats=true',
    `pin/add?arg=${hello}&recursive=true&name=wayleave&progress=true`,
  ])
})

test('an import that may fetch nothing has the node pin nothing, which would search for missing blocks', async () => {
  const { backend, asked } = await fakeKubo(async (request, response) => {
    for await (const _ of request) continue
    response.end('{"Stats":{"BlockCount":1,"BlockBytesCount":19}}\n')
  })
  await all(backend.importCar(x(), { ...call(), isLocal: true }))
  expect(asked).toEqual(['dag/import?pin-roots=false&stats=true'])
})

test('a root that a node could not pin has the reason, and no pin of ours', async () => {
  const problem = 'block was not found locally (offline): ipld: could not find QmX'
  const { backend, asked } = await fakeKubo(async (request, response) => {
    for await (const _ of request) continue
    const root = JSON.stringify({ Root: { Cid: { '/': hello }, PinErrorMsg: problem } })
    response.end(`${root}\n{"Stats":{"BlockCount":1,"BlockBytesCount":19}}\n`)
  })
  expect((await all(backend.importCar(x(), call()))).at(-1)).toMatchObject({ type: 'root', problem })
  expect(asked).toEqual(['dag/import?pin-roots=true&stats=true'])
})

test('a node is sent each option that decides a CID, since its own defaults may be others', async () => {
  const { backend, asked } = await fakeKubo((_, response) =>
    response.end(`{"Name":"a","Hash":"${hello}","Size":"19"}\n`),
  )
  const shape = { maxFileLinks: 9, maxDirectoryLinks: 5, maxHamtFanout: 64, emptyDirs: false }
  await all(backend.add(filesOf('a'), { ...options, ...shape, onlyHash: true }, call()))
  expect(Object.fromEntries(new URLSearchParams(asked[0]!.split('?')[1]))).toMatchObject({
    'cid-version': '0',
    'raw-leaves': 'false',
    chunker: 'size-262144',
    hash: 'sha2-256',
    trickle: 'false',
    'max-file-links': '9',
    'max-directory-links': '5',
    'max-hamt-fanout': '64',
    'empty-dirs': 'false',
  })
})

test.each<[readonly AddEntry[], string]>([
  [[{ type: 'directory', path: '', mode: 0o4711, mtime: { secs: 5n } }], 'dir?mode=40000711&mtime=5'],
  [[], 'dir'],
])(
  'a directory that wraps, and may have a mode, is sent as one without a name: Kubo gives its own none',
  async (first, field) => {
    let body = ''
    const { backend, asked } = await fakeKubo(async (request, response) => {
      for await (const chunk of request) body += String(chunk)
      response.end(
        `{"Name":"a","Hash":"${hello}","Size":"19"}\n{"Name":"","Hash":"${other}","Size":"79","Mode":"040000711"}\n`,
      )
    })
    async function* entries(): AsyncGenerator<AddEntry> {
      yield* first
      yield* filesOf('a')
    }
    const preserved = { ...options, pin: false, wrapWithDirectory: true, preserveMode: true }
    const reported = await all(backend.add(entries(), preserved, call()))
    expect(reported.at(-1)).toMatchObject({ type: 'root', size: 79n })
    expect(reported.at(-2)).toMatchObject({ type: 'added', path: '', mode: 0o4711 })
    expect(asked[0]).toContain('wrap-with-directory=false')
    expect([...body.matchAll(/name="([^"]*)"; filename="([^"]*)"/g)].map(([, ...names]) => names)).toEqual([
      [field, ''],
      ['file-1', 'a'],
    ])
  },
)

test('a directory that wraps and has nothing of its own is left to the node', async () => {
  const { backend, asked } = await fakeKubo((request, response) => {
    request.resume().on('end', () => response.end(`{"Name":"","Hash":"${other}","Size":"79"}\n`))
  })
  async function* entries(): AsyncGenerator<AddEntry> {
    yield { type: 'directory', path: '' }
    yield* filesOf('a')
  }
  await all(backend.add(entries(), { ...options, pin: false, wrapWithDirectory: true }, call()))
  expect(asked[0]).toContain('wrap-with-directory=true')
})

test('a file without a name is named by its CID where a directory wraps it', async () => {
  const wrapper = other
  const { backend } = await fakeKubo(async (request, response) => {
    for await (const _ of request) continue
    response.end(
      `{"Name":"${hello}","Hash":"${hello}","Size":"19"}\n${new URL(request.url!, 'http://x').searchParams.get('wrap-with-directory') === 'true' ? `{"Name":"","Hash":"${wrapper}","Size":"79"}\n` : ''}`,
    )
  })
  const { post } = await serve({ backend })
  const file = form({ file: '', content: 'hello world' })
  expect((await post('add?pin=false', file)).lines).toMatchObject([{ Name: hello, Hash: hello }])
  const wrapped = await post('add?pin=false&w=true', file)
  expect(wrapped.lines).toMatchObject([
    { Name: hello, Hash: hello },
    { Name: '', Hash: wrapper },
  ])
})
