import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { createLocalBackend } from '@wayleave/ipfs-http/local'
import {
  type AddEntry,
  type AddEvent,
  type AddOptions,
  createIpfsHandler,
  createIpfsListener,
  createMemoryPinLedger,
} from '@wayleave/ipfs-http/server'
import { leafBytes, readContent } from './content.ts'
import type { Jobs } from './worker.ts'

const options: AddOptions = {
  cidVersion: 1,
  hash: 'sha2-256',
  chunker: `size-${leafBytes}`,
  rawLeaves: true,
  maxFileLinks: 174,
  maxDirectoryLinks: 0,
  maxHamtFanout: 256,
  sizeEstimation: 'links',
  emptyDirs: true,
  trickle: false,
  inline: false,
  inlineLimit: 32,
  wrapWithDirectory: false,
  pin: true,
  onlyHash: false,
  preserveMode: false,
  preserveMtime: false,
  progress: false,
}

/** The local backend without HTTP. */
export async function backendRole(
  dir: string,
): Promise<
  Pick<{ [K in keyof Jobs]: (args: Jobs[K]) => Promise<string> }, 'add' | 'cat'> & { close(): Promise<void> }
> {
  const backend = await createLocalBackend({ dir })
  const { signal } = new AbortController()
  let root: Extract<AddEvent, { type: 'root' }> | undefined

  async function* entries(file: string): AsyncGenerator<AddEntry, void, undefined> {
    yield { type: 'file', path: 'content', content: readContent(file, leafBytes) }
  }

  return {
    async add({ file }) {
      for await (const event of backend.add(entries(file), options, { signal })) if (event.type === 'root') root = event
      return String(root!.cid)
    },
    async cat() {
      const range = { offset: 0n, length: undefined }
      const content = await backend.cat({ cid: root!.cid, segments: [] }, range, { signal })
      let bytes = 0
      for await (const part of content.bytes) bytes += part.length
      return String(bytes)
    },
    close: () => backend.close(),
  }
}

/** The whole server: listener, handler, ledger in memory, local backend. Tells its URL. */
export async function serverRole(dir: string): Promise<{ readonly ready: string; close(): Promise<void> }> {
  const backend = await createLocalBackend({ dir })
  const handler = createIpfsHandler({ backend, ledger: createMemoryPinLedger(), maxRequestBytes: 2 ** 40 })
  const listener = createIpfsListener(handler)
  const project = { id: 'bench', hasBillingCard: true, quota: {} }
  const server = createServer((request, response) => void listener(request, response, project)).listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    ready: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    async close() {
      server.closeAllConnections()
      server.close()
      await backend.close()
    },
  }
}
