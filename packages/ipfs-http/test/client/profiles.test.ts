import { expect, test } from 'vitest'
import { createIpfsClient, type IpfsAdded, type IpfsAddOptions, type IpfsClientOptions } from '../../src/index.ts'
import { filesOf, type ProfileVector, profileVectors } from '../profile-vectors.ts'
import { serve } from '../server/serve.ts'

/** The vectors whose options the client has. */
const vectors = profileVectors.filter(({ query }) =>
  Object.keys(query).every((name) => ['cid-version', 'raw-leaves', 'chunker'].includes(name)),
)
const titled = vectors.map((vector) => [vector.profile, vector.name, vector] as const)

async function addedBy(
  options: IpfsClientOptions,
  vector: ProfileVector,
  more: IpfsAddOptions = {},
): Promise<readonly IpfsAdded[]> {
  const { query } = vector
  const added: IpfsAdded[] = []
  const client = createIpfsClient(options)
  const given: IpfsAddOptions = {
    profile: vector.profile,
    ...(query['cid-version'] === '0' && { cidVersion: 0 }),
    ...(query['raw-leaves'] === 'false' && { rawLeaves: false }),
    chunker: query['chunker'],
    ...more,
  }
  for await (const entry of client.addAll(filesOf(vector), given)) added.push(entry)
  return added
}

test.each(titled)('proves with %s that %s have the CID that Kubo gives them', async (_, __, vector) => {
  const { url } = await serve()
  const added = await addedBy({ url, verify: 'proven' }, vector)
  expect(added.at(-1)).toMatchObject({ cid: vector.cid, size: Number(vector.size), verification: 'proven' })
})

const directories = vectors.filter(({ directory }) => directory !== undefined)

test.each(directories.map((vector) => [vector.profile, vector.name, vector] as const))(
  'with %s, %s is proven at a host that estimates directories in the other way',
  async (_, __, vector) => {
    const { url } = await serve()
    const other = vector.profile === 'unixfs-v0-2015' ? 'unixfs-v1-2025' : 'unixfs-v0-2015'
    let answer: Response | undefined
    // A Kubo takes no profile in a call: its configuration has the estimate, and all other options come with the call.
    const host = async (input: string | URL | Request, init?: RequestInit): Promise<Response> => {
      const asked = new URL(String(input))
      if (asked.pathname.endsWith('/add')) asked.searchParams.set('profile', other)
      const response = await fetch(asked, init)
      if (asked.pathname.endsWith('/add')) answer = response.clone()
      return response
    }
    const added = await addedBy({ url, verify: 'proven', fetch: host }, vector)
    const lines = (await answer!.text()).trim().split('\n')
    expect(added.at(-1)!.cid).toBe((JSON.parse(lines.at(-1)!) as { Hash: string }).Hash)
    expect(added.every(({ verification }) => verification === 'proven')).toBe(true)
  },
)

test('a directory that holds something else is a mismatch in either form', async () => {
  const { url } = await serve()
  const vector = directories[0]!
  const host = async (input: string | URL | Request, init?: RequestInit): Promise<Response> => {
    const response = await fetch(input, init)
    const lines = (await response.text()).replace(vector.cid, 'QmUNLLsPACCz1vLxQVkXqqLX5R1X345qqfHbsf67hvA3Nn')
    return new Response(lines, { headers: { 'content-type': 'application/json' } })
  }
  await expect(addedBy({ url, fetch: host }, vector)).rejects.toMatchObject({ code: 'mismatch' })
})

test('a file is not proven by the directory that would wrap it', async () => {
  const { url } = await serve()
  const wrapped = await createIpfsClient({ url }).add('hello', { wrapWithDirectory: true })
  const host = async (input: string | URL | Request, init?: RequestInit): Promise<Response> => {
    await (await fetch(input, init)).text()
    const line = JSON.stringify({ Name: '', Hash: wrapped.cid, Size: '60' })
    return new Response(line, { headers: { 'content-type': 'application/json' } })
  }
  await expect(createIpfsClient({ url, fetch: host }).add('hello')).rejects.toMatchObject({ code: 'mismatch' })
})

test('sends each option that decides a CID, since nodes have other defaults', async () => {
  const { url } = await serve()
  const asked: URL[] = []
  const host = (input: string | URL | Request, init?: RequestInit): Promise<Response> => {
    asked.push(new URL(String(input)))
    return fetch(input, init)
  }
  const client = createIpfsClient({ url, fetch: host })
  await client.add('hello')
  await client.add('hello', { profile: 'unixfs-v1-2025' })
  expect(asked.map(({ searchParams }) => Object.fromEntries(searchParams))).toMatchObject([
    {
      'cid-version': '0',
      'raw-leaves': 'false',
      chunker: 'size-262144',
      hash: 'sha2-256',
      trickle: 'false',
      'max-file-links': '174',
      'max-directory-links': '0',
      'max-hamt-fanout': '256',
    },
    {
      'cid-version': '1',
      'raw-leaves': 'true',
      chunker: 'size-1048576',
      'max-file-links': '1024',
      profile: 'unixfs-v1-2025',
    },
  ])
})

test('a profile that does not exist is refused before anything is sent', async () => {
  const client = createIpfsClient({ url: 'http://127.0.0.1:1' })
  await expect(client.add('x', { profile: 'unixfs-v3' as never })).rejects.toMatchObject({ code: 'bad_argument' })
})
