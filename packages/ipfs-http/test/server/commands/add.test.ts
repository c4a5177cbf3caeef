import { expect, test } from 'vitest'
import { form, type PartText, projectOf, serve } from '../serve.ts'

const text = 'hello world'
const cidV0 = 'Qmf412jQZiuVUtdgnB36FXFX7xg5V6KEbSJ4dpQuhkLyfD'
const cidV1 = 'bafkreifzjut3te2nhyekklss27nh3k72ysco7y32koao5eei66wof36n5e'
const planets: PartText[] = [
  { file: 'planets', type: 'application/x-directory' },
  { file: 'planets%2Fmars.txt', content: 'Hello Mars!\n' },
  { file: 'planets%2Fvenus.txt', content: 'Hello Venus!\n' },
]

test('a file becomes one line, and a pin of the project', async () => {
  const { post, ledger } = await serve()
  const answer = await post('add', form({ file: 'a string.txt', content: 'a string' }))
  expect(answer.status).toBe(200)
  expect(answer.text).toBe(
    '{"Name":"a string.txt","Hash":"QmQFRCwEpwQZ5aQMqCsCaFbdjNLLHoyZYDjr92v1F7HeqX","Size":"16"}\n',
  )
  expect(answer.headers).toMatchObject({ 'content-type': 'application/json', 'x-chunked-output': '1' })
  expect(await ledger.list('alice', { limit: 9 })).toEqual([
    { cid: 'QmQFRCwEpwQZ5aQMqCsCaFbdjNLLHoyZYDjr92v1F7HeqX', type: 'recursive', name: undefined, bytes: 4096n },
  ])
})

test('a directory comes after its files, and alone is pinned', async () => {
  const { post, ledger } = await serve()
  const { lines } = await post('add', form(...planets))
  expect(lines.map(({ Name, Hash }) => [Name, Hash])).toEqual([
    ['planets/mars.txt', 'QmPrrHqJzto9m7SyiRzarwkqPcCSsKR2EB1AyqJfe8L8tN'],
    ['planets/venus.txt', 'QmU5kp3BH3B8tnWUU2Pikdb2maksBNkb92FHRr56hyghh4'],
    ['planets', 'QmWSgS32xQEcXMeqd3YPJLrNBLSdsfYCep2U7CFkyrjXwY'],
  ])
  expect((await ledger.list('alice', { limit: 9 })).map(({ cid }) => cid)).toEqual([lines.at(-1)!['Hash']])
})

test('the directory that wraps an upload has no name, a file without a name has its CID for one', async () => {
  const { post } = await serve()
  const wrapped = await post('add?wrap-with-directory=true', form({ file: 'foo', content: 'hello, world!' }))
  expect(wrapped.lines.map(({ Name, Hash }) => [Name, Hash])).toEqual([
    ['foo', 'QmQy2Dw4Wk7rdJKjThjYXzfFJNaRKRHhHP5gHHXroJMYxk'],
    ['', 'QmVE9rNpj5doj7XHzp5zMUxD7BJgXEqx4pe3xZ3JBReWHE'],
  ])
  expect((await post('add', form({ content: text }))).lines).toMatchObject([{ Name: cidV0, Hash: cidV0 }])
  const two = await post('add', form({ content: text }, { content: 'a string' }))
  expect(two.lines.map(({ Hash }) => Hash)).toEqual([cidV0, 'QmQFRCwEpwQZ5aQMqCsCaFbdjNLLHoyZYDjr92v1F7HeqX'])
})

test.each([
  ['', cidV0],
  ['cid-version=1', cidV1],
  ['cid-version=1&raw-leaves=false', 'bafybeihykld7uyxzogax6vgyvag42y7464eywpf55gxi5qpoisibh3c5wa'],
  ['cid-version=0', cidV0],
  [
    'hash=sha2-512',
    'bafkrgqbqt3gerhas23vuzrapkdeqf4vu2dwxp3srdj6hvg6nhsug2tgyn6mj3u23yx7utftq3i2ckw2fwdh5qmhid5qf3t35yvkc5e5ottlw6',
  ],
  ['inline=true&inline-limit=32&raw-leaves=true', 'bafkqac3imvwgy3zao5xxe3de'],
  ['cid-base=base32', 'bafybeihykld7uyxzogax6vgyvag42y7464eywpf55gxi5qpoisibh3c5wa'],
  ['cid-base=base16&cid-version=1', 'f01551220b94d27b9934d3e08a52e52d7da7dabfac484efe37a5380ee9088f7ace2efcde9'],
  ['upgrade-cidv0-in-output=true', 'bafybeihykld7uyxzogax6vgyvag42y7464eywpf55gxi5qpoisibh3c5wa'],
  ['stream-channels=true&recursive=true&unheard-of=1&unheard-of=2', cidV0],
  ['w=false&t=false', cidV0],
])('add?%s of "hello world" is %s', async (query, cid) => {
  const { post } = await serve()
  expect((await post(`add?${query}`, form({ file: 'x', content: text }))).lines).toMatchObject([{ Hash: cid }])
})

test('progress is told at once, by lines without a hash', async () => {
  const { post } = await serve()
  const content = new Uint8Array(600_000)
  const { lines } = await post('add?progress=true', form({ file: 'x', content }))
  expect(lines.at(-1)).toHaveProperty('Hash')
  const progress = lines.slice(0, -1)
  expect(progress.length).toBeGreaterThan(1)
  expect(progress.at(-1)).toEqual({ Name: 'x', Bytes: 600_000 })
  for (const line of progress) expect(Object.keys(line)).toEqual(['Name', 'Bytes'])
})

test('only-hash keeps and pins nothing, pin=false pins nothing, silent says nothing', async () => {
  const { post, ledger } = await serve()
  const file = form({ file: 'x', content: text })
  expect((await post('add?only-hash=true', file)).lines).toMatchObject([{ Hash: cidV0 }])
  expect((await post(`cat?arg=${cidV0}&timeout=1s`)).status).toBe(500)
  expect((await post('add?pin=false', file)).lines).toMatchObject([{ Hash: cidV0 }])
  expect((await post(`cat?arg=${cidV0}`)).text).toBe(text)
  expect(await ledger.list('alice', { limit: 9 })).toEqual([])
  expect(await post('add?silent=true&pin-name=n', file)).toMatchObject({ status: 200, text: '' })
  expect(await ledger.list('alice', { limit: 9 })).toMatchObject([{ cid: cidV0, name: 'n' }])
})

test('mode and time are kept where they are asked for, and told', async () => {
  const { post } = await serve()
  const file = form({ file: 'x', name: 'file?mode=0644&mtime=1700000000&mtime-nsecs=5', content: text })
  const [line] = (await post('add?preserve-mode=true&preserve-mtime=true', file)).lines
  expect(line).toMatchObject({ Mode: '0644', Mtime: 1_700_000_000, MtimeNsecs: 5 })
  const [given] = (await post('add?mode=0644&mtime=1700000000&mtime-nsecs=5', form({ file: 'x', content: text }))).lines
  expect(given).toEqual(line)
})

test('of a mode in the query its nine permission bits count, as in Kubo', async () => {
  const { post } = await serve()
  const hashOf = async (mode: string): Promise<unknown> =>
    (await post(`add?mode=${mode}`, form({ file: 'x', content: text }))).lines[0]!['Hash']
  expect(await hashOf('01204')).toBe(await hashOf('0204'))
  expect(await hashOf('132')).toBe(await hashOf('0204'))
})

test.each([
  ['nocopy=true', 'nocopy needs files on the disk of the service: leave it out'],
  ['fscache=true', 'fscache needs files on the disk of the service: leave it out'],
  ['to-files=/x', 'to-files needs a mutable file system, which this service has not: leave it out, and pin the CID'],
  ['max-file-links=1', 'expected max-file-links from 2 to 8192, came 1'],
  ['max-hamt-fanout=100', 'HAMT fanout must be a power of 2, between 8 and 1024 (got 100)'],
  ['profile=x', 'expected the profile to be one of unixfs-v0-2015, unixfs-v1-2025, came x'],
  ['cid-version=2', 'unknown CID version: 2'],
  ['cid-version=0&hash=sha2-512', 'CIDv0 only supports sha2-256'],
  ['raw-leaves=true&mode=0644', "raw-leaves can't be used with UnixFS metadata like mode or modification time"],
  ['mtime-nsecs=5', 'option "mtime-nsecs" requires "mtime" to be provided as well'],
  ['inline=true&inline-limit=1000', 'inline-limit 1000 exceeds maximum allowed size of 128 bytes'],
  ['pin=false&pin-name=x', 'pin-name option requires pin to be set'],
  ['only-hash=true&pin-name=x', 'pin-name option requires pin to be set'],
  ['pin-name=a%00b', 'a pin name may hold no zero byte'],
  [`pin-name=${'x'.repeat(256)}`, 'pin name is 256 bytes (max 255 bytes)'],
  ['cid-base=nonsense', 'unsupported multibase encoding: nonsense'],
])('add?%s is refused with a sentence', async (query, message) => {
  const { post, ledger } = await serve()
  const answer = await post(`add?${query}`, form({ file: 'x', content: text }))
  expect(answer.status).toBe(500)
  expect(answer.lines).toEqual([{ Message: message, Code: 0, Type: 'error' }])
  expect(await ledger.usage('alice', '')).toMatchObject({ storedBytes: 0n })
})

test('a form without parts, a body that is none, and one that is cut off add nothing', async () => {
  const { post, ledger } = await serve()
  expect((await post('add', form())).lines).toMatchObject([{ Message: 'expected a file argument' }])
  const json = await post('add', { body: '{}', headers: { 'Content-Type': 'application/json' } })
  expect([json.status, json.text]).toEqual([400, "file argument 'path' is required\n"])
  const bare = await post('add', { body: 'x', headers: { 'Content-Type': 'multipart/form-data' } })
  expect(bare.status).toBe(400)
  const whole = form({ file: 'a', content: text }, { file: 'b', content: 'a string' })
  const cut = await post('add', { ...whole, body: whole.body.subarray(0, -12) })
  expect(cut.status).toBe(500)
  expect(cut.lines).toMatchObject([{ Message: 'unexpected EOF: the multipart body ended before its last boundary' }])
  expect(await ledger.list('alice', { limit: 9 })).toEqual([])
})

test('100,000 empty parts are refused soon, and nothing of them is pinned', async () => {
  const { post, ledger } = await serve({ maxParts: 10_000 })
  const part = `--b\r\nContent-Disposition: form-data; name="f"; filename="a"\r\n\r\n\r\n`
  const answer = await post('add', {
    body: `${part.repeat(100_000)}--b--`,
    headers: { 'Content-Type': 'multipart/form-data; boundary=b' },
  })
  expect([answer.status, answer.text]).toEqual([413, expect.stringContaining('may have 10000 parts')])
  expect(await ledger.list('alice', { limit: 9 })).toEqual([])
})

test('names that lead upwards stay inside of the upload', async () => {
  const { post } = await serve()
  const { lines } = await post('add', form({ file: '..%2F..%2Fetc%2Fpasswd', content: text }))
  expect(lines.map(({ Name }) => Name)).toEqual(['etc/passwd', 'etc'])
})

test('an upload is charged to the month by its bytes', async () => {
  const { post, ledger } = await serve({ projects: [projectOf('alice')] })
  const { body, headers } = form({ file: 'x', content: text })
  await post('add', { body, headers })
  const month = new Date().toISOString().slice(0, 7)
  expect(await ledger.usage('alice', month)).toMatchObject({ uploadedBytes: BigInt(body.length), downloadedBytes: 0n })
})

test('two files at the top may have one name, and both are pinned', async () => {
  const { post } = await serve()
  const twice = form({ file: 'a', content: 'one' }, { file: 'a', content: 'two' }, { file: 'a', content: 'two' })
  const { lines } = await post('add', twice)
  const [one, two] = [
    'Qmci4MUoKezwuEyoLbn7LbD8Z3mcyN6q2AHiT4Yp8srdKy',
    'QmNaRTGzBpmuPhLaGSgRsNkh37zUqRZ7SGNocxvj4oVKAe',
  ]
  expect(lines.map(({ Name, Hash }) => [Name, Hash])).toEqual([['a', one], ['a', two], ['a', two]]) // prettier-ignore
  const [{ Keys }] = (await post('pin/ls?type=recursive')).lines as [{ Keys: object }]
  expect(Object.keys(Keys).toSorted()).toEqual([one, two].toSorted())
})

test.each([
  ['wrap-with-directory=true', ['a', 'a']],
  ['', ['d/a', 'd/a']],
  ['', ['d/a/b', 'd/a']],
  ['', ['d/a', 'd/a/b']],
])('two parts of one name in a directory are refused in the words of Kubo: %s %j', async (query, names) => {
  const { post } = await serve()
  const parts = names.map((file, at) => ({ file, content: String(at) }))
  const { status, lines } = await post(`add?${query}`, form(...parts))
  expect([status, lines[0]!['Message']]).toEqual([
    500,
    expect.stringContaining('directory already has entry by that name'),
  ])
  expect((await post('pin/ls')).lines).toEqual([{ Keys: {} }])
})
