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
