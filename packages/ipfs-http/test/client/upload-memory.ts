// `node --conditions=@wayleave/source upload-memory.ts <url> <MiB> <off|consistent> [0|1] [archives]`: uploads so much from a file, as
// CIDv0 or 1, and prints by how many MB this process grew. With `archives`, it is sent in several requests.
import { mkdtemp, open, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createIpfsClient, type VerifyMode } from '@wayleave/ipfs-http'
import { fileSource } from '@wayleave/ipfs-http/node'

const [url, mebibytes, verify, version, way] = process.argv.slice(2)
const cidVersion = version === '0' ? 0 : 1
const dir = await mkdtemp(join(tmpdir(), 'upload-memory-'))
const file = await open(join(dir, 'big'), 'w')
await file.truncate(Number(mebibytes) * 2 ** 20)
await file.close()

const client = createIpfsClient({
  url: url!,
  verify: verify as VerifyMode,
  maxRequestBytes: way === 'archives' ? undefined : Infinity,
})
await client.add('what loads on demand is loaded', { cidVersion })
const before = process.memoryUsage.rss()
let most = 0
await client.add(await fileSource(join(dir, 'big')), {
  cidVersion,
  onProgress() {
    most = Math.max(most, process.memoryUsage.rss())
  },
})
console.log(Math.round((most - before) / 1e6))
await rm(dir, { recursive: true })
