import { expect, test } from 'vitest'
import { filesOf, profileVectors } from '../../profile-vectors.ts'
import { form, serve } from '../serve.ts'

const vectors = profileVectors.map((vector) => [vector.profile, vector.name, vector] as const)

test.each(vectors)('with %s, %s have the CID that Kubo gives them', async (profile, _, vector) => {
  const { post } = await serve()
  const query = new URLSearchParams({ pin: 'false', profile, ...vector.query })
  const files = filesOf(vector).map(({ path, content }) => ({ file: encodeURIComponent(path), content }))
  const { lines } = await post(`add?${query}`, form(...files))
  expect(lines.at(-1)).toMatchObject({ Hash: vector.cid, Size: vector.size })
})

test('without a profile, CIDs are those of unixfs-v0-2015, and CIDv1 has raw leaves', async () => {
  const { post } = await serve()
  const hashOf = async (query: string): Promise<unknown> =>
    (await post(`add?${query}`, form({ file: 'x', content: new Uint8Array(300_000) }))).lines.at(-1)!['Hash']
  expect(await hashOf('')).toBe(await hashOf('profile=unixfs-v0-2015'))
  expect(await hashOf('cid-version=1')).toBe(await hashOf('profile=unixfs-v0-2015&cid-version=1&raw-leaves=true'))
})

test('modes and times are kept with the profile, whose raw leaves have no place for them', async () => {
  const { post } = await serve()
  const { lines } = await post('add?profile=unixfs-v1-2025&mode=0644', form({ file: 'x', content: 'hello' }))
  expect(lines).toMatchObject([{ Hash: expect.stringMatching(/^bafy/), Mode: '0644' }])
})

test.each([
  // As Kubo: what is below a directory counts when it is sent, not when it is left out.
  [
    ['d', 'd/e', 'd/e/f'],
    ['d/e', 'd'],
  ],
  [['d'], ['d']],
  [['d', 'd/e'], ['d']],
])('empty-dirs=false leaves out directories without entries, but for those at the top: %j', async (sent, named) => {
  const { post } = await serve()
  const parts = sent.map((file) => ({ file, type: 'application/x-directory' }))
  const { lines } = await post('add?empty-dirs=false', form(...parts))
  expect(lines.map(({ Name }) => Name)).toEqual(named)
})
