// CIDs of IPIP-499: those of a real Kubo with the profile unixfs-v1-2025 and of one without, of the server, and of gateways over both; and
// our client before each of them, which must prove all that they say.
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type RunningGateway, startGateway } from '@wayleave/gateway'
import { createIpfsClient, type IpfsUpload, type UnixFsProfile } from '@wayleave/ipfs-http'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { addContent, contentOf, hashByDefaults, profileVectors, type ProfileVector } from './support/profile-vectors.ts'
import { type KuboNode, startKubo } from './support/kubo-node.ts'

const program = process.env['KUBO']
const mib = 1_048_576
const newest = 'unixfs-v1-2025'
const legacy = 'unixfs-v0-2015'
const profiles = [legacy, newest] as const

describe.skipIf(program === undefined)('CID profiles', () => {
  let folder: string
  const kubos: Partial<Record<UnixFsProfile, KuboNode>> = {}
  const gateways: Partial<Record<'local' | UnixFsProfile, RunningGateway>> = {}

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'wayleave-interop-'))
    kubos[legacy] = await startKubo(program!)
    kubos[newest] = await startKubo(program!, newest)
    for (const name of ['local', ...profiles] as const) {
      gateways[name] = await startGateway({
        dataDir: join(folder, name),
        listen: { rpc: '127.0.0.1:0', ipfs: '127.0.0.1:0', admin: '127.0.0.1:0' },
        networks: { none: { kind: 'evm', chainId: 1, upstreams: ['http://127.0.0.1:1'] } },
        ipfs: {
          ...(name === 'local' ? { backend: 'local' } : { backend: 'kubo', url: kubos[name]!.url }),
          maxRequestBytes: 4_000_000_000,
        },
        projects: [{ name: 'one', keys: [{ key: 'key', secret: 'secret' }] }],
      })
    }
  })
  afterAll(async () => {
    for (const gateway of Object.values(gateways)) await gateway.close()
    for (const kubo of Object.values(kubos)) await kubo[Symbol.asyncDispose]()
    await rm(folder, { recursive: true, force: true })
  })

  const hosts: readonly (readonly [string, () => { readonly url: string; readonly isGateway: boolean }])[] = [
    ['a Kubo without the profile', () => ({ url: kubos[legacy]!.url, isGateway: false })],
    ['a Kubo with the profile', () => ({ url: kubos[newest]!.url, isGateway: false })],
    ['the local backend', () => ({ url: gateways.local!.ipfs!, isGateway: true })],
    ['a gateway over a Kubo without the profile', () => ({ url: gateways[legacy]!.ipfs!, isGateway: true })],
    ['a gateway over a Kubo with the profile', () => ({ url: gateways[newest]!.ipfs!, isGateway: true })],
  ]
  const access = { authorization: `Basic ${btoa('key:secret')}` }
  const clientOf = ({ url, isGateway }: { readonly url: string; readonly isGateway: boolean }) =>
    createIpfsClient({
      url,
      maxRequestBytes: Infinity,
      timeoutMs: 120_000,
      verify: 'proven',
      ...(isGateway && { headers: access }),
    })

  describe.each(profiles)('%s', (profile) => {
    const own = profileVectors
      .filter((vector) => vector.profile === profile)
      .map((vector) => [vector.name, vector] as const)

    it.each(own)('the vectors are what Kubo says: %s', async (_, vector) => {
      const { cid, size } = await addContent(kubos[profile]!.url, vector, {})
      expect([cid, size]).toEqual([vector.cid, vector.size])
    })

    it.each(hosts.slice(2))('the vectors are what is made of them by %s', async (_, host) => {
      const wrong: unknown[] = []
      for (const [name, vector] of own) {
        const { cid, size } = await addContent(host().url, vector, { profile }, access)
        if (cid !== vector.cid || size !== vector.size) wrong.push([name, cid, size])
      }
      expect(wrong).toEqual([])
    })
  })

  // Around a chunk, a layer of links, and 2 GB, in chunks of both profiles.
  const sizes = [1, 262_143, 262_145, mib - 1, mib + 1, 174 * 262_144, 174 * 262_144 + 1, 174 * mib + 1, 1_024 * mib]
  const files = [...sizes, 1_024 * mib + 1, 2_000_000_000].map((bytes) => [bytes] as const)

  it.each(files)(
    'a file of %i bytes has one CID of each profile, at every host',
    { timeout: 900_000 },
    async (bytes) => {
      for (const profile of profiles) {
        // The Kubo of the profile is asked without any option.
        const found = new Set([await hashByDefaults(kubos[profile]!.url, zeros(bytes))])
        for (const [, host] of hosts) {
          const content = { path: 'file', content: zeros(bytes), size: bytes }
          const { cid, verification } = await clientOf(host()).add(content, { profile, onlyHash: true })
          expect(verification).toBe('proven')
          found.add(cid)
        }
        expect([profile, [...found]]).toEqual([profile, [expect.any(String)]])
      }
    },
  )

  const doubtful = profileVectors.filter(({ directory, query }) => directory && Object.keys(query).length === 0)

  it.each(hosts)('what %s makes of directories around 256 KiB is proven', async (_, host) => {
    for (const vector of doubtful) {
      for (const profile of profiles) {
        const said = []
        for await (const added of clientOf(host()).addAll(uploadsOf(vector), { profile })) said.push(added.verification)
        expect(new Set(said)).toEqual(new Set(['proven']))
      }
    }
  })
})

async function* zeros(bytes: number): AsyncGenerator<Uint8Array> {
  const piece = new Uint8Array(mib)
  for (let left = bytes; left > 0; left -= mib) yield piece.subarray(0, Math.min(left, mib))
}

function uploadsOf(vector: ProfileVector): readonly IpfsUpload[] {
  return contentOf(vector).map(([path, content]) => ({ path, content }))
}
