import { randomBytes } from 'node:crypto'
import { read } from '../attack/calls.ts'
import { nestedDirectories } from '../attack/nested-directories.ts'
import { holdConnections } from '../attack/hold-connections.ts'
import { repeatRequests } from '../attack/repeat-requests.ts'
import type { AttackContext, Family } from '../family.ts'

const boundary = 'starvation'
const formType = `multipart/form-data; boundary=${boundary}`

/** Prints a form with one file. */
function form(bytes: Uint8Array): Buffer {
  const head = `--${boundary}\r\nContent-Disposition: form-data; name="file"; filename="f"\r\n\r\n`
  return Buffer.concat([Buffer.from(head), bytes, Buffer.from(`\r\n--${boundary}--\r\n`)])
}

/** Adds a file of so many random bytes, and returns its CID. */
async function addFile({ ipfs, authorization }: AttackContext, bytes: number): Promise<string> {
  const headers = { authorization, 'content-type': formType }
  const response = await fetch(`${ipfs}/api/v0/add`, {
    method: 'POST',
    headers,
    body: new Uint8Array(form(randomBytes(bytes))),
  })
  if (!response.ok) throw new Error(`the file was not added: ${response.status}`)
  return ((await response.json()) as { Hash: string }).Hash
}

const nobody: Family = {
  number: 0,
  name: 'nobody',
  does: 'nothing: shows what the harness itself sees',
  start: () => ({ stop() {} }),
}

const tinyChunks: Family = {
  number: 22,
  name: 'IPFS tiny chunks',
  does: 'two connections that add files of 1.6 MB in chunks of 16 bytes',
  start: (context) =>
    repeatRequests(context, {
      connections: 2,
      url: () => `${context.ipfs}/api/v0/add?chunker=size-16`,
      headers: { authorization: context.authorization, 'content-type': formType },
      body: () => form(randomBytes(1_600_000)),
    }),
}

const ipfsReaders: Family = {
  number: 23,
  name: 'IPFS never read',
  does: '300 connections that ask for a file of 20 MB and read nothing',
  async start(context) {
    const cid = await addFile(context, 20_000_000)
    const request = `POST /api/v0/cat?arg=${cid} HTTP/1.1\r\nHost: localhost\r\nAuthorization: ${context.authorization}\r\n\r\n`
    return holdConnections(context, {
      count: 300,
      perSecond: 60,
      reads: false,
      url: context.ipfs,
      onOpen: (socket) => void socket.write(request),
    })
  },
}

const stalledStderr: Family = {
  number: 24,
  name: 'stalled stderr',
  does: 'nobody reads stderr, and 1,000 calls a second fail at every node',
  surroundings: { stalledStderr: true },
  start: (context) =>
    repeatRequests(context, { connections: 32, perSecond: 1_000, body: () => read(context, 'reset!:') }),
}

const fullDisk: Family = {
  number: 25,
  name: 'full disk',
  does: 'files of 1 MB are added until the disk of 32 MB, where the store is too, is full; then further ones',
  surroundings: { diskMegabytes: 32 },
  start: (context) =>
    repeatRequests(context, {
      connections: 2,
      perSecond: 50,
      url: () => `${context.ipfs}/api/v0/add`,
      headers: { authorization: context.authorization, 'content-type': formType },
      body: () => form(randomBytes(1_000_000)),
    }),
}

const nestedFolders: Family = {
  number: 31,
  name: 'IPFS nested directories',
  does: 'two connections that import archives of 30,000 directories, each within the one before',
  start(context) {
    let turn = 0
    return repeatRequests(context, {
      connections: 2,
      url: () => `${context.ipfs}/api/v0/dag/import`,
      headers: { authorization: context.authorization, 'content-type': formType },
      body: () => form(nestedDirectories(30_000, turn++ % 2 === 0)),
    })
  },
}

export const surroundingFamilies: readonly Family[] = [
  nobody,
  tinyChunks,
  ipfsReaders,
  stalledStderr,
  fullDisk,
  nestedFolders,
]
