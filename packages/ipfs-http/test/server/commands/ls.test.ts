import { expect, test } from 'vitest'
import { form, serve } from '../serve.ts'
import { addTree, tree } from './tree.ts'

// Answers of Kubo 0.41, recorded.

const rest = { Target: '', Mode: 0, ModTime: '0001-01-01T00:00:00Z' }
const links = [
  { Name: 'a.txt', Hash: tree.a, Size: 6, Type: 2, ...rest },
  { Name: 'big', Hash: tree.big, Size: 700_000, Type: 2, ...rest },
  { Name: 'link', Hash: tree.link, Size: 5, Type: 4, ...rest, Target: 'a.txt' },
  { Name: 'sub', Hash: tree.sub, Size: 0, Type: 1, ...rest },
]

test('ls lists directories with types and sizes, in one piece or line by line', async () => {
  const served = await serve()
  await addTree(served)
  const ls = async (query: string): Promise<unknown> => (await served.post(`ls?${query}`)).lines
  expect(await ls(`arg=${tree.root}`)).toEqual([{ Objects: [{ Hash: tree.root, Links: links }] }])
  expect(await ls(`arg=/ipfs/${tree.root}/sub&arg=${tree.empty}`)).toEqual([
    {
      Objects: [
        {
          Hash: `/ipfs/${tree.root}/sub`,
          Links: [
            { Name: 'b', Hash: tree.b, Size: 2, Type: 2, ...rest },
            { Name: 'empty', Hash: tree.empty, Size: 0, Type: 1, ...rest },
          ],
        },
        { Hash: tree.empty, Links: [] },
      ],
    },
  ])
  expect(await ls(`arg=${tree.root}&stream=true`)).toEqual(
    links.map((link) => ({ Objects: [{ Hash: tree.root, Links: [link] }] })),
  )
  const plain = links.map((link) => ({ ...link, ...rest, Size: 0, Type: 0 }))
  expect(await ls(`arg=${tree.root}&resolve-type=false&size=false`)).toEqual([
    { Objects: [{ Hash: tree.root, Links: plain }] },
  ])
  const [{ Objects }] = (await ls(`arg=${tree.root}&cid-base=base32`)) as [{ Objects: [{ Links: { Hash: string }[] }] }]
  expect(Objects[0].Links[0]!.Hash).toBe('bafybeiffndsajwhk3lwjewwdxqntmjm4b5wxaaanokonsggenkbw6slwk4')
})

test('a file is listed by its parts, which raw leaves size by their parent, and what has none is empty', async () => {
  const served = await serve()
  await addTree(served)
  const ls = async (arg: string): Promise<unknown> =>
    (await served.post(`ls?arg=${arg}`)).lines.flatMap(({ Objects }) => (Objects as { Links: unknown }[])[0]!.Links)
  const part = (Hash: string, Size: number): object => ({ Name: '', Hash, Size, Type: 2, ...rest })
  expect(await ls(tree.big)).toEqual([
    part(tree.chunk, 262_144),
    part(tree.chunk, 262_144),
    part(tree.lastChunk, 175_712),
  ])
  expect(await ls(`${tree.root}/a.txt`)).toEqual([])
  const [raw] = (await served.post('add?raw-leaves=true', form({ file: 'x', content: new Uint8Array(300_000) }))).lines
  expect(await ls(String(raw!['Hash']))).toMatchObject([
    { Size: 262_144, Type: 2 },
    { Size: 37_856, Type: 2 },
  ])
  const [put] = (await served.post('dag/put', form({ file: 'x', content: `{"a":{"/":"${tree.a}"}}` }))).lines
  const cbor = (put!['Cid'] as { '/': string })['/']
  expect(await ls(cbor)).toMatchObject([{ Name: '', Hash: tree.a, Size: 6, Type: 2 }])
  expect(await ls(`${cbor}/a`)).toEqual([])
})

test('ls tells modes and times that content keeps', async () => {
  const served = await serve()
  await addTree(served, 'preserve-mode=true&preserve-mtime=true&wrap-with-directory=true')
  const [pin] = await served.ledger.list('alice', { limit: 1 })
  const [{ Objects }] = (await served.post(`ls?arg=${pin!.cid}/t`)).lines as [{ Objects: [{ Links: object[] }] }]
  expect(Objects[0].Links).toMatchObject([
    { Name: 'a.txt', Mode: 0o640, ModTime: '2020-09-13T12:26:40.25Z' },
    { Name: 'big', Mode: 0 },
    { Name: 'link' },
    { Name: 'sub', Mode: 2_147_484_141 },
  ])
})

test('a sharded directory is listed whole, by name', async () => {
  const served = await serve()
  const names = Array.from({ length: 1_200 }, (_, at) => `${at} ${'x'.repeat(210)}`)
  const parts = names.map((name) => ({ file: `d%2F${encodeURIComponent(name)}`, content: '' }))
  await served.post('add', form(...parts))
  const [pin] = await served.ledger.list('alice', { limit: 1 })
  const [{ Objects }] = (await served.post(`ls?arg=${pin!.cid}`)).lines as [
    { Objects: [{ Links: { Name: string }[] }] },
  ]
  expect(Objects[0].Links.map(({ Name }) => Name)).toEqual(names.toSorted())
})

test('a path that leads nowhere, and a missing block, are errors', async () => {
  const served = await serve()
  await addTree(served)
  expect((await served.post(`ls?arg=${tree.root}/none`)).lines).toEqual([
    { Message: `no link named "none" under ${tree.root}`, Code: 0, Type: 'error' },
  ])
  expect((await served.post('ls?arg=QmQy2Dw4Wk7rdJKjThjYXzfFJNaRKRHhHP5gHHXroJMYxk')).status).toBe(500)
  expect((await served.post('ls')).text).toBe('argument "ipfs-path" is required\n')
})

test('files/stat tells the type of a path below /ipfs', async () => {
  const served = await serve()
  await addTree(served)
  const stat = async (path: string): Promise<unknown> => (await served.post(`files/stat?arg=${path}`)).lines[0]
  const [size, type] = [{ Size: 0, CumulativeSize: 700_516, Blocks: 4 }, { Type: 'directory' }]
  expect(await stat(`/ipfs/${tree.root}`)).toEqual({ Hash: tree.root, ...size, ...type })
  expect(await stat(`/ipfs/${tree.root}/big`)).toEqual({ Hash: tree.big, Size: 700_000, CumulativeSize: 700_194, Blocks: 3, Type: 'file' }) // prettier-ignore
  expect(await stat(`/ipfs/${tree.root}/link`)).toEqual({ Hash: tree.link, Size: 5, CumulativeSize: 11, Blocks: 0, Type: 'file', Mode: '1000000777' }) // prettier-ignore
  const metadata = { file: 'x', name: 'file?mode=0640&mtime=1600000000&mtime-nsecs=250000000', content: 'hello\n' }
  const [kept] = (await served.post('add?preserve-mode=true&preserve-mtime=true', form(metadata))).lines
  expect(await stat(`/ipfs/${String(kept!['Hash'])}`)).toEqual({
    Hash: 'QmSnE27KToobwZnbmmcmbjtNm7ot77VQgSj4ETPomsf4Vm',
    Size: 6,
    CumulativeSize: 30,
    Blocks: 0,
    Type: 'file',
    Mtime: 1_600_000_000,
    MtimeNsecs: 250_000_000,
    Mode: '0640',
  })
  const [raw] = (await served.post('block/put', form({ file: 'x', content: 'hello\n' }))).lines
  expect(await stat(`/ipfs/${String(raw!['Key'])}`)).toMatchObject({ Size: 6, CumulativeSize: 6, Blocks: 0 })
  expect(await stat(tree.root)).toMatchObject({ Message: 'paths must start with a leading slash' })
  expect(await stat('/')).toMatchObject({ Message: expect.stringContaining('no mutable files') })
  expect(await stat(`/ipfs/${tree.root}/none`)).toMatchObject({ Message: `no link named "none" under ${tree.root}` })
})
