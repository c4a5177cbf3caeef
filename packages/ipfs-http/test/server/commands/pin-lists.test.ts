import { once } from 'node:events'
import { mkdtemp, rm, truncate } from 'node:fs/promises'
import { type IncomingMessage, request as httpRequest } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { CID } from 'multiformats/cid'
import { expect, onTestFinished, test } from 'vitest'
import type { IpfsBackend } from '../../../src/backend.ts'
import { blockPath } from '../../../src/local/block-store.ts'
import { createLocalBackend } from '../../../src/local/index.ts'
import type { PinLedger } from '../../../src/pin-ledger.ts'
import { createMemoryPinLedger } from '../../../src/server/index.ts'
import { form, localBackend, projectOf, readAnswer, serve, type Served } from '../serve.ts'
import { addTree, tree } from './tree.ts'

const below = [tree.a, tree.big, tree.chunk, tree.lastChunk, tree.link, tree.sub, tree.b, tree.empty]

test('pin/ls lists the blocks below recursive pins as indirect, but for those that are pinned themselves', async () => {
  const served = await serve()
  await addTree(served)
  await served.post(`pin/add?arg=${tree.b}&recursive=false&name=mine`)
  const ls = async (query: string): Promise<unknown> =>
    (await served.post(`pin/ls?stream=true&${query}`)).lines.map(({ Cid, Type }) => `${String(Type)} ${String(Cid)}`)
  const indirect = below.filter((cid) => cid !== tree.b).map((cid) => `indirect ${cid}`)
  expect(await ls('type=indirect')).toEqual(indirect)
  expect(await ls('')).toEqual([`direct ${tree.b}`, `recursive ${tree.root}`, ...indirect])
  expect(await ls('type=recursive')).toEqual([`recursive ${tree.root}`])
  expect(await ls('name=mine')).toEqual([`direct ${tree.b}`])
  expect(await ls(`arg=${tree.root}/a.txt`)).toEqual([`indirect through ${tree.root} ${tree.a}`])
  expect(await ls(`arg=${tree.b}&type=indirect`)).toEqual([`indirect through ${tree.root} ${tree.b}`])
  expect((await served.post(`pin/ls?arg=${tree.root}/a.txt`)).lines).toEqual([
    { Keys: { [tree.a]: { Type: `indirect through ${tree.root}`, Name: '' } } },
  ])
  await served.post(`pin/add?arg=${tree.link}`)
  const messages = [
    `arg=${tree.link}&type=indirect`,
    `arg=${tree.root}/a.txt&type=recursive`,
    `arg=${tree.root}&type=indirect`,
  ]
  for (const query of messages) {
    const [line] = (await served.post(`pin/ls?${query}`)).lines
    expect(line!['Message']).toMatch(/^path '.*' is not pinned$/)
  }
})

test('pins of another project make nothing indirect, and hold no block for this one', async () => {
  const served = await serve()
  await addTree(served, '', 'bob')
  expect((await served.post('pin/ls')).lines).toEqual([{ Keys: {} }])
  expect((await served.post(`pin/ls?arg=${tree.a}`)).status).toBe(500)
  expect((await served.post(`block/rm?arg=${tree.a}`)).lines).toEqual([
    { Hash: tree.a, Error: 'pinned or put by another: a block that nobody pins is removed by the next collection' },
  ])
  expect((await served.post(`block/rm?arg=${tree.root}&force=true`)).lines).toEqual([
    { Hash: tree.root, Error: expect.stringContaining('pinned or put by another') },
  ])
  expect((await served.post(`cat?arg=${tree.a}`)).text).toBe('hello\n')
})

async function damaged(): Promise<Served> {
  const dir = await mkdtemp(join(tmpdir(), 'ipfs-verify-'))
  const backend = await createLocalBackend({ dir })
  onTestFinished(async () => {
    await backend.close()
    await rm(dir, { recursive: true, force: true })
  })
  const served = await serve({ backend })
  await addTree(served)
  const fileOf = (cid: string): string => {
    const { folder, file } = blockPath(CID.parse(cid))
    return join(dir, 'blocks', folder, file)
  }
  await rm(fileOf(tree.sub))
  await truncate(fileOf(tree.chunk), 5)
  return served
}

test('pin/verify tells the missing and broken blocks of pins, quietly the pins alone, verbosely also the whole ones', async () => {
  const { post } = await damaged()
  const [whole] = (await post('add', form({ file: 'x', content: 'whole' }))).lines
  const verify = async (query: string): Promise<unknown> => (await post(`pin/verify?${query}`)).lines
  const bad = {
    Cid: tree.root,
    BadNodes: [
      { Cid: tree.chunk, Err: expect.stringContaining('broken') },
      { Cid: tree.sub, Err: expect.stringContaining(tree.sub) },
    ],
  }
  expect(await verify('')).toEqual([bad])
  expect(await verify('quiet=true')).toEqual([{ Cid: tree.root }])
  expect(await verify('verbose=true')).toEqual(expect.arrayContaining([bad, { Cid: whole!['Hash'], Ok: true }]))
  expect(await verify('quiet=true&verbose=true')).toMatchObject([
    { Message: 'the --verbose and --quiet options can not be used at the same time' },
  ])
})

test('pin/ls goes on behind a block that is missing', async () => {
  const { post } = await damaged()
  const { Keys } = (await post('pin/ls')).lines[0] as { Keys: object }
  expect(Object.keys(Keys).toSorted()).toEqual([tree.root, ...below.slice(0, -2)].toSorted())
})

test('block/rm removes what the project put and nobody pins, and says why others stay', async () => {
  const served = await serve()
  const { post, backend } = served
  const put = async (content: string, as = 'alice'): Promise<string> =>
    String((await post('block/put', { ...form({ file: 'x', content }), as })).lines[0]!['Key'])
  const rmBlock = async (query: string): Promise<unknown> => (await post(`block/rm?${query}`)).lines
  const [one, two] = [await put('one'), await put('two')]
  expect(await rmBlock(`arg=${one}`)).toEqual([{ Hash: one }])
  expect((await post(`block/get?arg=${one}`)).status).toBe(500)
  expect(await rmBlock(`arg=${one}&arg=${two}`)).toEqual([
    { Hash: one, Error: `ipld: could not find ${one}` },
    { Hash: two },
  ])
  expect(await rmBlock(`arg=${one}&force=true`)).toEqual([{ Hash: one }])
  expect(await rmBlock(`arg=${await put('one')}&quiet=true`)).toEqual([])
  expect(await rmBlock('arg=bafkqaaa')).toEqual([{ Hash: 'bafkqaaa' }])
  await addTree(served)
  expect(await rmBlock(`arg=${tree.root}&arg=${tree.root}/a.txt`)).toEqual([
    { Hash: tree.root, Error: 'pinned: recursive' },
    { Hash: tree.a, Error: `pinned via ${tree.root}` },
  ])
  const direct = await put('direct')
  await post(`pin/add?arg=${direct}&recursive=false`)
  expect(await rmBlock(`arg=${direct}`)).toEqual([{ Hash: direct, Error: 'pinned: direct' }])
  const others = await put('of bob', 'bob')
  expect(await rmBlock(`arg=${others}&force=true`)).toMatchObject([
    { Error: expect.stringContaining('put by another') },
  ])
  expect((await post(`block/get?arg=${others}`)).text).toBe('of bob')
  expect((await backend.diskUse!()).unpinnedBytes).toBe(4096)
})

test('a removed block counts no more against the quota of its project', async () => {
  const { post } = await serve({ projects: [projectOf('alice', { storedBytes: 4096n })] })
  const put = (content: string): ReturnType<typeof post> => post('block/put', form({ file: 'x', content }))
  const [first] = (await put('one')).lines
  expect((await put('two')).status).toBe(403)
  await post(`block/rm?arg=${String(first!['Key'])}`)
  expect((await put('two')).status).toBe(200)
})

test('repo/verify names each block of the pins that is missing or broken, and the pin above it', async () => {
  const { post } = await damaged()
  const { status, lines, trailers } = await post('repo/verify')
  expect(status).toBe(200)
  expect(lines.filter(({ Msg }) => Msg !== '')).toEqual([
    {
      Msg: expect.stringMatching(
        `^block ${tree.chunk} was corrupt \\(.* broken on the disk.*\\), below the pin ${tree.root}$`,
      ),
      Progress: 0,
    },
    { Msg: `block ${tree.sub} is missing, below the pin ${tree.root}`, Progress: 0 },
  ])
  expect(trailers['x-stream-error']).toBe('verify complete, 1 blocks corrupt, 1 missing')
  // Another project has nothing of it.
  const others = await post('repo/verify', { as: 'bob' })
  expect(others.lines).toEqual([
    { Msg: '', Progress: 0 },
    { Msg: 'verify complete, all blocks validated.', Progress: 0 },
  ])
  expect((await post('repo/verify?drop=true')).lines).toMatchObject([
    { Message: expect.stringMatching(/^drop: .* added again/) },
  ])
})

test('repo/verify reads the block of a direct pin, and what is below it for a recursive one', async () => {
  const served = await serve()
  await addTree(served)
  await served.post(`pin/add?arg=${tree.sub}&recursive=false`)
  const { lines } = await served.post('repo/verify')
  expect(lines.at(-2)).toEqual({ Msg: '', Progress: below.length + 2 })
})

test('repo/gc removes the own blocks that nobody pins, and no others', async () => {
  const served = await serve()
  const { post } = served
  const put = async (content: string, query = '', as = 'alice'): Promise<string> =>
    String((await post(`block/put?${query}`, { ...form({ file: 'x', content }), as })).lines[0]!['Key'])
  await addTree(served)
  const [gone, pinned, shared, others] = [await put('one'), await put('two', 'pin=true'), await put('three'), await put('of bob', '', 'bob')] // prettier-ignore
  await put('three', 'pin=true', 'bob')
  expect((await post('repo/gc')).lines).toEqual([{ Key: { '/': gone } }])
  expect((await post('repo/gc')).lines).toEqual([])
  const isHere = async (cid: string): Promise<boolean> => (await post(`block/get?arg=${cid}`)).status === 200
  expect(await Promise.all([gone, pinned, shared, others, tree.root, tree.a].map(isHere))).toEqual([false, true, true, true, true, true]) // prettier-ignore
  await post('add?pin=false', form({ file: 'x', content: 'not pinned' }))
  expect((await post('repo/gc?silent=true')).text).toBe('')
  expect((await served.backend.diskUse!()).unpinnedBytes).toBe(4096)
})

test('repo/gc leaves blocks whose pin the ledger may have stored', async () => {
  const memory = createMemoryPinLedger()
  let isBroken = true
  const ledger: PinLedger = {
    ...memory,
    async put(...put) {
      const result = await memory.put(...put)
      if (isBroken) throw new Error('the connection broke')
      return result
    },
    async remove(...removed) {
      if (isBroken) throw new Error('the connection broke')
      return memory.remove(...removed)
    },
  }
  const { post } = await serve({ ledger })
  expect(
    (await post('add?chunker=size-10', form({ file: 'x', content: 'some content of several blocks' }))).status,
  ).toBe(500)
  isBroken = false
  const [{ Keys }] = (await post('pin/ls')).lines as [{ Keys: object }]
  expect(Object.keys(Keys)).toHaveLength(4)
  expect((await post('repo/gc')).lines).toEqual([])
  expect((await post('repo/verify')).lines.at(-1)).toMatchObject({ Msg: 'verify complete, all blocks validated.' })
})

test('refs/local lists the own blocks as raw ones, each once, and none of another project', async () => {
  const served = await serve()
  const { post } = served
  await addTree(served)
  await addTree(served, '', 'bob')
  const put = String((await post('block/put', form({ file: 'x', content: 'not pinned' }))).lines[0]!['Key'])
  await post('block/put', { ...form({ file: 'x', content: 'of bob' }), as: 'bob' })
  const raw = (cid: string): string => String(CID.createV1(0x55, CID.parse(cid).multihash))
  const { lines } = await post('refs/local')
  expect(lines.map(({ Ref }) => Ref).toSorted()).toEqual([...new Set([tree.root, ...below, put].map(raw))].toSorted())
  expect(lines.every(({ Err }) => Err === '')).toBe(true)
})

test('refs/local lists no block that is not here, also where it would have no links or is pinned directly', async () => {
  const dir = await mkdtemp(join(tmpdir(), 'ipfs-pins-'))
  const backend = await createLocalBackend({ dir })
  onTestFinished(async () => {
    await backend.close()
    await rm(dir, { recursive: true, force: true })
  })
  const { post } = await serve({ backend })
  const add = async (content: string, query: string): Promise<CID> =>
    CID.parse(String((await post(`add?${query}`, form({ file: 'x', content }))).lines.at(-1)!['Hash']))
  const root = await add('twenty bytes of text', 'cid-version=1&chunker=size-10')
  const direct = await add('pinned directly', 'cid-version=1&pin=false')
  await post(`pin/add?arg=${direct}&recursive=false`)
  const list = async (): Promise<unknown[]> => (await post('refs/local')).lines.map(({ Ref }) => Ref)
  const before = await list()
  expect(before).toHaveLength(4)
  const leaf = CID.parse(String((await post(`refs?arg=${root}`)).lines[0]!['Ref']))
  for (const cid of [leaf, direct]) {
    const { folder, file } = blockPath(cid)
    await rm(join(dir, 'blocks', folder, file))
  }
  expect(await list()).toEqual(before.filter((cid) => cid !== String(leaf) && cid !== String(direct)))
})

test('a listing with stream begins while a block below a pin is still being read', async () => {
  const local = await localBackend()
  const gate = Promise.withResolvers<void>()
  let isGated = false
  const backend: IpfsBackend = {
    ...local,
    async getBlock(...all) {
      if (isGated) await gate.promise
      return local.getBlock(...all)
    },
  }
  const served = await serve({ backend })
  await addTree(served)
  isGated = true
  const sent = httpRequest(`${served.url}/api/v0/pin/ls?stream=true`, { method: 'POST' }).end()
  const [answer] = (await once(sent, 'response')) as [IncomingMessage]
  const [line] = (await once(answer, 'data')) as [Buffer]
  expect(JSON.parse(String(line))).toEqual({ Cid: tree.root, Type: 'recursive' })
  gate.resolve()
  expect((await readAnswer(answer)).lines.map(({ Cid }) => Cid)).toEqual(below)
})

test('repo/stat tells the pins of the project and its quota', async () => {
  const served = await serve({ projects: [projectOf('alice', { storedBytes: 10_000_000n })] })
  await addTree(served)
  const { storedBytes } = await served.ledger.usage('alice', '')
  const sizes = { RepoSize: Number(storedBytes), StorageMax: 10_000_000 }
  const stat = async (query: string, as: string): Promise<unknown> =>
    (await served.post(`repo/stat?${query}`, { as })).lines
  expect(await stat('', 'alice')).toEqual([{ ...sizes, NumObjects: 1, RepoPath: '', Version: 'fs-repo@18' }])
  expect(await stat('size-only=true', 'alice')).toEqual([{ ...sizes, NumObjects: 0, RepoPath: '', Version: '' }])
  expect(await stat('', 'bob')).toMatchObject([{ RepoSize: 0, StorageMax: 9_007_199_254_740_991, NumObjects: 0 }])
})

test('commands is the tree of the commands, with the names of their options', async () => {
  const { post } = await serve()
  const [{ Name, Subcommands }] = (await post('commands?flags=true')).lines as [
    {
      Name: string
      Subcommands: { Name: string; Subcommands: { Name: string; Options: unknown }[]; Options: unknown }[]
    },
  ]
  expect(Name).toBe('ipfs')
  const named = Object.fromEntries(Subcommands.map((each) => [each.Name, each]))
  expect(Object.keys(named)).toEqual(['add', 'block', 'cat', 'commands', 'dag', 'files', 'get', 'id', 'ls', 'pin', 'refs', 'repo', 'resolve', 'version']) // prettier-ignore
  expect(named['block']!.Subcommands.map((each) => each.Name)).toEqual(['get', 'put', 'rm', 'stat'])
  expect(named['block']!.Subcommands[2]).toEqual({
    Name: 'rm',
    Subcommands: [],
    Options: [{ Names: ['force', 'f'] }, { Names: ['quiet', 'q'] }],
  })
})
