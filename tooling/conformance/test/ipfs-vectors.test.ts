// Content added over HTTP to a gateway that keeps it itself has the CIDs that Kubo gives it.
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type RunningGateway, startGateway } from '@wayleave/gateway'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { compareDirectory, compareFile, type IpfsHost, vectors } from './support/ipfs-vectors.ts'

let folder: string
let gateway: RunningGateway
let host: IpfsHost

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'wayleave-ipfs-'))
  gateway = await startGateway({
    dataDir: folder,
    listen: { rpc: '127.0.0.1:0', ipfs: '127.0.0.1:0', admin: '127.0.0.1:0' },
    networks: { none: { kind: 'evm', chainId: 1, upstreams: ['http://127.0.0.1:1'] } },
    ipfs: { backend: 'local' },
    projects: [{ name: 'demo', keys: [{ key: 'key', secret: 'secret' }] }],
  })
  host = { url: gateway.ipfs!, headers: { authorization: `Basic ${btoa('key:secret')}` } }
})
afterAll(async () => {
  await gateway.close()
  await rm(folder, { recursive: true, force: true })
})

it('has 49 files and 12 directories to compare with', () => {
  expect([vectors.files.length, vectors.directories.length]).toEqual([49, 12])
})

it.each(vectors.files)('gives a file the CID that Kubo does, and its bytes back: $name', async (vector) => {
  const { reported, expected, isSame } = await compareFile(host, vector)
  expect(reported).toEqual(expected)
  expect(isSame).toBe(true)
})

it.each(vectors.directories)('gives a directory the CIDs that Kubo does: $name', async (vector) => {
  const { reported, expected } = await compareDirectory(host, vector)
  expect(reported).toEqual(expected)
})
