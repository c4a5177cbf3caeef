import { expect, test } from 'vitest'
import { form, serve, type Served } from '../serve.ts'
import { addTree, tree } from './tree.ts'

// Answers of Kubo 0.41, recorded.

const missing = 'QmQy2Dw4Wk7rdJKjThjYXzfFJNaRKRHhHP5gHHXroJMYxk'

async function servedTree(): Promise<Served> {
  const served = await serve()
  await addTree(served)
  return served
}

/** A list within lists, each linked twice by the one above it. */
async function ladder({ post }: Served, steps: number): Promise<string> {
  let below = tree.a as string
  for (let at = 0; at < steps; at++) {
    const content = `[{"/":"${below}"},{"/":"${below}"}]`
    below = ((await post('dag/put', form({ file: 'x', content }))).lines[0]!['Cid'] as { '/': string })['/']
  }
  return below
}

test('refs lists links, of all levels if asked, with repetitions unless asked', async () => {
  const { post } = await servedTree()
  const refs = async (query: string): Promise<unknown> =>
    (await post(`refs?arg=${tree.root}&${query}`)).lines.map(({ Ref }) => Ref)
  const { root, a, big, chunk, lastChunk, link, sub, b, empty } = tree
  expect(await refs('')).toEqual([a, big, link, sub])
  expect(await refs('max-depth=0')).toEqual([a, big, link, sub])
  expect(await refs('recursive=true&max-depth=0')).toEqual([])
  expect(await refs('recursive=true&max-depth=1')).toEqual([a, big, link, sub])
  expect(await refs('recursive=true')).toEqual([a, big, chunk, chunk, lastChunk, link, sub, b, empty])
  expect(await refs('r=true&u=true&max-depth=2')).toEqual([a, big, chunk, lastChunk, link, sub, b, empty])
  const edge = (from: string, to: string): string => `${from} -> ${to}`
  expect(await refs('recursive=true&unique=true&edges=true')).toEqual([
    ...[a, big].map((to) => edge(root, to)),
    ...[chunk, lastChunk].map((to) => edge(big, to)),
    ...[link, sub].map((to) => edge(root, to)),
    ...[b, empty].map((to) => edge(sub, to)),
  ])
  expect(await refs('format=<linkname>%20<src>')).toEqual(
    ['a.txt', 'big', 'link', 'sub'].map((name) => `${name} ${root}`),
  )
  expect((await post(`refs?arg=${root}&edges=true&format=x`)).lines).toMatchObject([
    { Message: 'using format argument with edges is not allowed' },
  ])
})

test('unique refs go on below a block that was met at the greatest depth, and nowhere twice', async () => {
  const served = await servedTree()
  const deep = await ladder(served, 3)
  const upper = await served.post(
    'dag/put',
    form({ file: 'x', content: `[{"/":"${deep}"},{"/":"${await ladder(served, 1)}"}]` }),
  )
  const top = (upper.lines[0]!['Cid'] as { '/': string })['/']
  const refs = async (query: string): Promise<unknown[]> =>
    (await served.post(`refs?arg=${top}&recursive=true&${query}`)).lines
  expect(await refs('')).toHaveLength(1 + 2 + 4 + 8 + 1 + 2)
  expect(await refs('unique=true')).toHaveLength(4)
  // The lowest list is met at depth 3 first, where its links are too deep, and then at depth 1.
  expect(await refs('unique=true&max-depth=3')).toHaveLength(4)
  expect(await refs('unique=true&max-depth=2')).toHaveLength(4)
})

test('refs of a missing block are a line with its reason, and the next argument goes on', async () => {
  const { post } = await servedTree()
  const { status, lines } = await post(`refs?arg=${missing}&arg=${tree.sub}`)
  expect(status).toBe(200)
  expect(lines).toEqual([
    { Ref: '', Err: expect.stringContaining(missing) },
    { Ref: tree.b, Err: '' },
    { Ref: tree.empty, Err: '' },
  ])
})

test('dag/stat counts each block once, of several roots together and each', async () => {
  const { post } = await servedTree()
  const one = { Cid: tree.root, Size: 438_358, NumBlocks: 9 }
  const stat = async (query: string): Promise<unknown> => (await post(`dag/stat?${query}`)).lines
  expect(await stat(`arg=${tree.root}&progress=false`)).toEqual([
    { UniqueBlocks: 9, TotalSize: 438_358, Ratio: 1, DagStats: [one] },
  ])
  expect(await stat(`arg=${tree.root}&arg=${tree.root}/big&progress=false`)).toEqual([
    {
      UniqueBlocks: 9,
      TotalSize: 438_358,
      SharedSize: 438_036,
      Ratio: 1.9992654,
      DagStats: [one, { Cid: tree.big, Size: 438_036, NumBlocks: 3 }],
    },
  ])
  const reported = (await stat(`arg=${tree.root}`)) as { Ratio?: number }[]
  expect(reported.at(-1)).toMatchObject({ Ratio: 1 })
  expect(await stat(`arg=${missing}`)).toMatchObject([{ Type: 'error' }])
  const [empty] = (await post('block/put', form({ file: 'x', content: '' }))).lines
  expect(await stat(`arg=${String(empty!['Key'])}`)).toEqual([
    { UniqueBlocks: 1, DagStats: [{ Cid: empty!['Key'], NumBlocks: 1 }] },
  ])
  const cbor = await ladder(await servedTree(), 1)
  expect(await stat(`arg=${cbor}/none`)).toMatchObject([{ Type: 'error' }])
})

test('resolve leads to a CID in the base of the path, and what lies inside a block stays a path', async () => {
  const served = await servedTree()
  const resolve = async (query: string): Promise<unknown> => {
    const [line] = (await served.post(`resolve?arg=${query}`)).lines
    return line!['Path'] ?? line!['Message']
  }
  expect(await resolve(`/ipfs/${tree.root}/sub/b`)).toBe(`/ipfs/${tree.b}`)
  expect(await resolve(`${tree.root}&cid-base=base58btc`)).toBe(`/ipfs/${tree.root}`)
  expect(await resolve(`${tree.root}&cid-base=base36`)).toBe(
    '/ipfs/k2jmtxxfiq0lhogtr55zpyy3brre8quto8aqtc1kft6sknqss92cemc3',
  )
  const hex = 'f0170122029f2d17be6139079dc48696d1f582a8530eb9805b561eda517e22a892c7e3f1f'
  expect(await resolve(hex)).toBe(`/ipfs/${hex}`)
  const v1 = 'bafybeihtnma7zqyx6oke4apiotgvqcqimon6cbatazzefdfu6dnsvlomsm'
  expect(await resolve(`ipfs://${v1}/sub`)).toBe('/ipfs/bafybeif2dxt7yjqey5rltenuti7qw7aqtura4o2flvoap6y46hgi3gcwlm')
  const [put] = (await served.post('dag/put', form({ file: 'x', content: '{"a":{"b":1}}' }))).lines
  const cbor = (put!['Cid'] as { '/': string })['/']
  expect(await resolve(`${cbor}/a/b`)).toBe(`/ipfs/${cbor}/a/b`)
  expect(await resolve(`${tree.root}/nope`)).toBe(`no link named "nope" under ${tree.root}`)
  expect(await resolve('/ipns/example.org')).toContain('resolves no IPNS names')
})
