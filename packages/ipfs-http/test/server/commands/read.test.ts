import { gzipSync } from 'node:zlib'
import { CID } from 'multiformats/cid'
import { expect, test } from 'vitest'
import { form, type Served, serve } from '../serve.ts'

async function added(served: Served, content: string | Uint8Array, query = ''): Promise<string> {
  return String((await served.post(`add?${query}`, form({ file: 'x', content }))).lines[0]!['Hash'])
}

test('cat streams the bytes as text/plain with their length', async () => {
  const served = await serve()
  const content = Uint8Array.from({ length: 1_000_000 }, (_, i) => (i * 7) % 251)
  const cid = await added(served, content)
  const answer = await served.post(`cat?arg=${cid}`)
  expect(answer.status).toBe(200)
  expect(answer.headers).toMatchObject({
    'content-type': 'text/plain',
    'x-stream-output': '1',
    'x-content-length': '1000000',
    trailer: 'X-Stream-Error',
  })
  expect(answer.bytes.equals(content)).toBe(true)
  expect(answer.trailers).toEqual({})
})

test('cat takes every way to write a path, an offset and a length, and several arguments', async () => {
  const served = await serve()
  const cid = await added(served, '0123456789')
  const v1 = CID.parse(cid).toV1()
  const cat = async (query: string): Promise<string> => (await served.post(`cat?${query}`)).text
  for (const path of [cid, `/ipfs/${cid}`, `ipfs://${cid}`, `ipfs://${v1}`, `${cid}/`]) {
    expect(await cat(`arg=${encodeURIComponent(path)}`), path).toBe('0123456789')
  }
  expect(await cat(`arg=${cid}&offset=3`)).toBe('3456789')
  expect(await cat(`arg=${cid}&offset=3&length=4`)).toBe('3456')
  expect(await cat(`arg=${cid}&o=3&l=4`)).toBe('3456')
  expect(await cat(`arg=${cid}&length=0`)).toBe('')
  expect(await cat(`arg=${cid}&offset=99`)).toBe('')
  const other = await added(served, 'abc')
  expect(await cat(`arg=${cid}&arg=${other}`)).toBe('0123456789abc')
  expect(await cat(`arg=${cid}&arg=${other}&arg=${cid}&offset=11&length=4`)).toBe('bc01')
  expect(await cat(`arg=${cid}&arg=${other}&offset=10`)).toBe('abc')
  const directory = await served.post('add', form({ file: 'd%2Fsub%2Ff', content: 'below' }))
  expect(await cat(`arg=${directory.lines.at(-1)!['Hash']}/sub/f`)).toBe('below')
})

test('cat of a directory, and of what is not here, is a 500', async () => {
  const served = await serve()
  const { lines } = await served.post('add', form({ file: 'd%2Ff', content: 'x' }))
  const directory = await served.post(`cat?arg=${lines.at(-1)!['Hash']}`)
  expect([directory.status, directory.lines]).toEqual([
    500,
    [{ Message: 'this dag node is a directory', Code: 0, Type: 'error' }],
  ])
  const missing = await served.post(`cat?arg=${lines.at(-1)!['Hash']}/none`)
  expect(missing.status).toBe(500)
  expect((await served.post('cat?arg=QmQy2Dw4Wk7rdJKjThjYXzfFJNaRKRHhHP5gHHXroJMYxk')).status).toBe(500)
})

test('content that breaks off ends with a trailer that says why', async () => {
  const { backend } = await serve()
  async function* broken(): AsyncGenerator<Uint8Array> {
    yield Buffer.from('begun')
    throw new Error('secret')
  }
  const { post, errors } = await serve({
    backend: { ...backend, cat: () => Promise.resolve({ size: 10n, bytes: broken() }) },
  })
  const answer = await post('cat?arg=Qmf412jQZiuVUtdgnB36FXFX7xg5V6KEbSJ4dpQuhkLyfD')
  expect([answer.status, answer.text]).toEqual([200, 'begun'])
  expect(answer.trailers).toEqual({ 'x-stream-error': 'internal error' })
  expect(errors).toHaveLength(1)
})

test('get answers with an archive', async () => {
  const served = await serve()
  const { lines } = await served.post('add', form({ file: 'd%2Ff', content: 'in the archive' }))
  const answer = await served.post(`get?arg=${lines.at(-1)!['Hash']}`)
  expect(answer.headers['x-stream-output']).toBe('1')
  expect(answer.text).toContain(`${lines.at(-1)!['Hash']}/f`)
  expect(answer.text).toContain('in the archive')
  expect(answer.bytes.length % 512).toBe(0)
  expect(gzipSync(answer.bytes).length).toBeLessThan(answer.bytes.length)
})

test('a block is put, told, read and pinned under its CID', async () => {
  const { post, ledger } = await serve()
  const raw = 'bafkreifzjut3te2nhyekklss27nh3k72ysco7y32koao5eei66wof36n5e'
  const put = await post('block/put', form({ content: 'hello world' }))
  expect([put.status, put.text]).toEqual([200, `{"Key":"${raw}","Size":11}\n`])
  expect(put.headers['x-chunked-output']).toBe('1')
  expect((await post(`block/get?arg=${raw}`)).text).toBe('hello world')
  expect((await post(`block/get?arg=${raw}`)).headers['x-content-length']).toBe('11')
  expect((await post(`block/stat?arg=/ipfs/${raw}`)).text).toBe(`{"Key":"${raw}","Size":11}\n`)
  expect(await ledger.list('alice', { limit: 9 })).toEqual([])
  await post('block/put?pin=true', form({ content: 'hello world' }))
  expect(await ledger.list('alice', { limit: 9 })).toMatchObject([{ cid: raw, bytes: 4096n }])
  const { bytes } = await post(`block/get?arg=Qmf412jQZiuVUtdgnB36FXFX7xg5V6KEbSJ4dpQuhkLyfD`)
  expect(JSON.parse(bytes.toString())).toMatchObject({ Type: 'error' })
  const node = Buffer.from('0a110802120b68656c6c6f20776f726c64180b', 'hex')
  expect((await post('block/put?format=v0', form({ content: node }))).lines).toMatchObject([
    { Key: 'Qmf412jQZiuVUtdgnB36FXFX7xg5V6KEbSJ4dpQuhkLyfD' },
  ])
  const long = await post('block/put', form({ content: new Uint8Array(2 * 1024 * 1024 + 1) }))
  expect(long.lines).toMatchObject([{ Message: 'a block may have 2097152 bytes: use add for longer content' }])
})

test('an object is put, read as JSON and resolved', async () => {
  const { post } = await serve()
  const leaf = 'bafkreifzjut3te2nhyekklss27nh3k72ysco7y32koao5eei66wof36n5e'
  await post('block/put', form({ content: 'hello world' }))
  const put = await post('dag/put', form({ content: `{"a":{"b":[1,{"/":"${leaf}"}]}}` }))
  expect(put.status).toBe(200)
  const { '/': cid } = put.lines[0]!['Cid'] as { '/': string }
  expect(CID.parse(cid).code).toBe(0x71)
  const read = await post(`dag/get?arg=${cid}/a/b`)
  expect([read.headers['content-type'], read.text]).toEqual(['text/plain', `[1,{"/":"${leaf}"}]`])
  expect((await post(`dag/resolve?arg=${cid}/a/b/0`)).lines).toEqual([{ Cid: { '/': cid }, RemPath: '/a/b/0' }])
  expect((await post(`dag/resolve?arg=${cid}/a/b/1`)).lines).toEqual([{ Cid: { '/': leaf }, RemPath: '' }])
  expect((await post(`dag/get?arg=${cid}/a/none`)).status).toBe(500)
  const bad = await post('dag/put', form({ content: '{' }))
  expect(bad.status).toBe(500)
  expect(String(bad.lines[0]!['Message'])).toMatch(/^expected dag-json: /)
  expect((await post('dag/put', form({ content: '['.repeat(1_000_000) }))).status).toBe(500)
})

test('an object is read by the rules of Kubo: lists have no length, links are sorted, JSON holds no bytes', async () => {
  const { post } = await serve()
  const hello = 'Qmf412jQZiuVUtdgnB36FXFX7xg5V6KEbSJ4dpQuhkLyfD'
  const cidOf = (answer: { lines: Record<string, unknown>[] }): string =>
    (answer.lines[0]!['Cid'] as { '/': string })['/']
  const list = cidOf(await post('dag/put', form({ content: '{"a":[1]}' })))
  expect((await post(`dag/get?arg=${list}/a/length`)).lines).toMatchObject([
    { Message: `no link named "length" under ${list}` },
  ])
  const link = (name: string): string => `{"Hash":{"/":"${hello}"},"Name":"${name}","Tsize":1}`
  const node = await post('dag/put?store-codec=dag-pb', form({ content: `{"Links":[${link('b')},${link('a')}]}` }))
  expect(cidOf(node)).toBe('bafybeiaom4mo7w6g7e7sk23dnatwxtdakao6gjexa2n2sdtb3h4mmtgudm')
  await post('add', form({ file: 'x', content: 'hello world' }))
  const json = await post(`dag/get?arg=${hello}&output-codec=json`)
  expect([json.status, json.text]).toEqual([500, expect.stringContaining('JSON has no links and no bytes')])
  expect((await post('dag/put?store-codec=nope', form())).status).toBe(500)
})

test('content has the type that Kubo gives it', async () => {
  const served = await serve()
  const cid = await added(served, 'hello world')
  const typeOf = async (path: string): Promise<unknown> =>
    (await served.post(`${path}?arg=${cid}`)).headers['content-type']
  expect(await typeOf('cat')).toBe('text/plain')
  expect(await typeOf('dag/get')).toBe('text/plain')
  expect(await typeOf('get')).toBe('application/x-tar')
  expect(await typeOf('block/get')).toBe('application/vnd.ipld.raw')
  expect(await typeOf('dag/export')).toBe('application/vnd.ipld.car')
})

test('blocks are named in the base that is asked for', async () => {
  const { post } = await serve()
  const put = await post('block/put?cid-base=base36', form({ content: 'block' }))
  expect(put.lines).toMatchObject([{ Key: 'k2cwueaha12u3uhy0e0spifhhd6itpv7gaacab5fx4d0mue2hyy6pzhq' }])
  const stat = await post(`block/stat?arg=${put.lines[0]!['Key']}&cid-base=base58btc`)
  expect(String(stat.lines[0]!['Key'])).toMatch(/^z/)
})

test('an archive of blocks is exported, imported elsewhere, and its roots are pinned there', async () => {
  const one = await serve()
  const { lines } = await one.post('add', form({ file: 'd%2Ff', content: 'travels' }))
  const root = String(lines.at(-1)!['Hash'])
  const car = await one.post(`dag/export?arg=${root}`)
  expect(car.status).toBe(200)
  const other = await serve()
  const imported = await other.post('dag/import?stats=true', form({ file: 'x.car', content: car.bytes }))
  expect(imported.lines).toEqual([
    { Root: { Cid: { '/': root }, PinErrorMsg: '' } },
    { Stats: { BlockCount: 2, BlockBytesCount: expect.any(Number) } },
  ])
  expect((await other.post(`cat?arg=${root}/f`)).text).toBe('travels')
  expect(await other.ledger.list('alice', { limit: 9 })).toMatchObject([{ cid: root }])
  const cut = await other.post('dag/import', form({ file: 'x.car', content: car.bytes.subarray(0, -3) }))
  expect(cut.status).toBe(500)
})

test('version and id are one object each', async () => {
  const { post } = await serve()
  const version = await post('version')
  expect([version.status, version.headers['x-chunked-output']]).toEqual([200, undefined])
  expect(version.lines).toMatchObject([{ Version: expect.any(String) }])
  expect((await post('id')).lines).toMatchObject([{ ID: expect.any(String) }])
})
