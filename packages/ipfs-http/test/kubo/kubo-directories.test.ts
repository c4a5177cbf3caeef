import { createServer, request as openRequest } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect, onTestFinished, test } from 'vitest'
import type { AddEntry, BackendCall } from '../../src/backend.ts'
import { createKuboBackend } from '../../src/kubo/index.ts'
import { kuboOptions } from '../local/support.ts'
import { profiles } from '../../src/unixfs/profile.ts'
import { filesOf, profileVectors } from '../profile-vectors.ts'
import { all, form, serve } from '../server/serve.ts'

const call = (): BackendCall => ({ signal: new AbortController().signal })
const directories = profileVectors.filter(({ directory, query }) => directory && Object.keys(query).length === 0)

/** The backend over a server of ours, which stands for a Kubo: it shards by names and CIDs, as one without a profile does. */
async function overNode(): Promise<{
  readonly backend: ReturnType<typeof createKuboBackend>
  readonly node: Awaited<ReturnType<typeof serve>>
}> {
  const node = await serve()
  const backend = createKuboBackend({ url: node.url })
  onTestFinished(() => backend.close())
  return { backend, node }
}

test.each(directories.map((vector) => [vector.profile, vector.name, vector] as const))(
  'over a node that shards in its own way, a directory of %s has the CID of that profile: %s',
  async (profile, _, vector) => {
    const { backend } = await overNode()
    async function* entries(): AsyncGenerator<AddEntry> {
      for (const { path } of filesOf(vector)) yield { type: 'file', path, content: (async function* () {})() }
    }
    const events = await all(backend.add(entries(), { ...kuboOptions, ...profiles[profile] }, call()))
    const roots = events.filter((event) => event.type === 'root' && event.isReplaced !== true)
    expect(roots.map((root) => root.type === 'root' && [`${root.cid}`, `${root.size}`])).toEqual([
      [vector.cid, vector.size],
    ])
    expect(events.filter(({ type }) => type === 'added').at(-1)).toMatchObject({ size: BigInt(vector.size) })
  },
)

test('a directory that is written again is pinned at the node in its new form alone', async () => {
  const { backend, node } = await overNode()
  const vector = directories.find(({ profile, name }) => profile === 'unixfs-v1-2025' && name.includes('between'))!
  const gateway = await serve({ backend })
  const files = filesOf(vector).map(({ path }) => ({ file: encodeURIComponent(path), content: '' }))
  const { lines } = await gateway.post('add?profile=unixfs-v1-2025', form(...files))
  expect(lines.at(-1)).toMatchObject({ Name: 'd', Hash: vector.cid })
  expect(await gateway.ledger.list('alice', { limit: 9 })).toMatchObject([{ cid: vector.cid }])
  expect((await node.ledger.list('alice', { limit: 9 })).map(({ cid }) => cid)).toEqual([vector.cid])
})

/** A directory that the node shards in another form than the profile does, as the parts of a form. */
function doubtful() {
  const vector = directories.find(({ profile, name }) => profile === 'unixfs-v1-2025' && name.includes('between'))!
  return { vector, files: filesOf(vector).map(({ path }) => ({ file: encodeURIComponent(path), content: '' })) }
}

test('a directory that others have pinned at the node in its first form stays pinned under their name', async () => {
  const { backend, node } = await overNode()
  const gateway = await serve({ backend })
  const { vector, files } = doubtful()
  const { lines } = await node.post('add?pin-name=operator', form(...files))
  const { Hash: first } = lines.at(-1) as { readonly Hash: string }
  expect(first).not.toBe(vector.cid)
  await gateway.post('add?profile=unixfs-v1-2025', form(...files))
  const pins = await node.ledger.list('alice', { limit: 9 })
  expect(pins.find(({ cid }) => cid === first)).toMatchObject({ name: 'operator' })
  expect(pins.map(({ cid }) => cid).toSorted()).toEqual([first, vector.cid].toSorted())
})

test('an upload that fails while a directory is written again leaves no pin at the node but those of others', async () => {
  const { node } = await overNode()
  const broken = createServer((request, response) => {
    if (request.url!.includes('/block/put')) {
      request.resume()
      response.writeHead(500, { 'content-type': 'application/json' })
      return void response.end('{"Message":"no space left on device","Code":0,"Type":"error"}')
    }
    const { method, url, headers } = request
    const passed = openRequest(`${node.url}${url}`, { method, headers }, (answer) => {
      response.writeHead(answer.statusCode!, answer.headers)
      answer.pipe(response)
    })
    request.pipe(passed)
  })
  await new Promise<void>((resolve) => broken.listen(0, '127.0.0.1', resolve))
  const backend = createKuboBackend({ url: `http://127.0.0.1:${(broken.address() as AddressInfo).port}` })
  onTestFinished(async () => {
    await backend.close()
    broken.closeAllConnections()
    broken.close()
  })
  const gateway = await serve({ backend })
  const { files } = doubtful()
  await node.post('add?pin-name=operator', form({ file: 'other', content: 'another' }))
  const failed = await gateway.post('add?profile=unixfs-v1-2025', form(...files, { file: 'other', content: 'another' }))
  expect(failed.status).toBe(500)
  expect(await gateway.ledger.list('alice', { limit: 9 })).toEqual([])
  expect(await node.ledger.list('alice', { limit: 9 })).toMatchObject([{ name: 'operator' }])
})
