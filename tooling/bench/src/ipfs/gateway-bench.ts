import { randomBytes } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { createServer, type RequestListener, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { createIpfsClient } from '@wayleave/ipfs-http'
import { createLocalBackend } from '@wayleave/ipfs-http/local'
import { createIpfsHandler, createIpfsListener, createMemoryPinLedger } from '@wayleave/ipfs-http/server'
import type { BenchClock } from '../defaults.ts'

/** The cost of one read of a file that lies at a gateway. */
export interface FetchRow {
  readonly call: 'cat' | 'pin'
  readonly archives: boolean
  readonly requests: number
  readonly ms: number
}

/** Reads and pins a file that lies at a gateway that takes `delayMs` a request, with and without archives. */
export async function runGatewayBench(
  { mib, delayMs, folder }: { readonly mib: number; readonly delayMs: number; readonly folder: string },
  clock: BenchClock,
): Promise<readonly FetchRow[]> {
  await using open = new AsyncDisposableStack()
  const dir = await mkdtemp(join(folder, 'wayleave-bench-'))
  open.defer(() => rm(dir, { recursive: true, force: true }))

  const serve = async (listener: RequestListener): Promise<string> => {
    const server = createServer(listener)
    open.defer(() => {
      server.closeAllConnections()
      server.close()
    })
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  }
  const serveStore = async (name: string, gateways: readonly string[]): Promise<string> => {
    const backend = open.use(await createLocalBackend({ dir: join(dir, name), gateways }))
    const listener = createIpfsListener(createIpfsHandler({ backend, ledger: createMemoryPinLedger() }))
    const project = { id: 'bench', hasBillingCard: true, quota: {} }
    return serve((request, response) => void listener(request, response, project))
  }

  const origin = await serveStore('origin', [])
  const { cid } = await createIpfsClient({ url: origin }).add(randomBytes(mib * 2 ** 20))

  let hasArchives = true
  let requests = 0
  const forward = async (url: string, response: ServerResponse): Promise<void> => {
    const arg = /^\/ipfs\/(\w+)\?/.exec(url)?.[1]
    const isArchive = url.includes('format=car')
    if (isArchive && !hasArchives) return void response.writeHead(406).end()
    const { body } = await fetch(`${origin}/api/v0/${isArchive ? 'dag/export' : 'block/get'}?arg=${arg}`, {
      method: 'POST',
    })
    if (isArchive) response.setHeader('content-type', 'application/vnd.ipld.car; version=1; order=dfs; dups=n')
    Readable.from(body!).pipe(response)
  }
  const gateway = await serve(({ url = '' }, response) => {
    requests++
    clock.after(delayMs, () => void forward(url, response))
  })

  const rows: FetchRow[] = []
  for (const call of ['cat', 'pin'] as const) {
    for (const archives of [false, true]) {
      hasArchives = archives
      requests = 0
      const url = await serveStore(`${call}-${archives}`, [gateway])
      const client = createIpfsClient({ url, verify: 'off' })
      const began = clock.now()
      if (call === 'cat') for await (const part of client.cat(cid)) void part
      else await client.pin.add(cid)
      rows.push({ call, archives, requests, ms: clock.now() - began })
    }
  }
  return rows
}
