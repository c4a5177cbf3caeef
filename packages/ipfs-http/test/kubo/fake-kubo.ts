import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { onTestFinished } from 'vitest'
import type { IpfsBackend } from '../../src/backend.ts'
import type { Clock } from '../../src/clock.ts'
import { createKuboBackend } from '../../src/kubo/index.ts'

export interface FakeKubo {
  readonly backend: IpfsBackend
  readonly url: string
  /** Command and query of each request that came, but for those that only look at pins. */
  readonly asked: string[]
  /** How many answers ended before they were whole. */
  readonly cut: () => number
}

/** What a node that answers `pin/ls` has pinned recursively: its name, by CID. */
type FakePins = Map<string, string>

/** The backend over a server that answers as it is told, and tells its pins, for the length of a test. */
export async function fakeKubo(
  answer: (request: IncomingMessage, response: ServerResponse) => unknown,
  { credentials = '', path = '', clock, pins = new Map(), cluster = false }: Options = {},
): Promise<FakeKubo> {
  const asked: string[] = []
  let cut = 0
  const server = createServer((request, response) => {
    const { pathname, searchParams } = new URL(request.url!, 'http://x')
    if (pathname.endsWith('/pin/ls')) return reportPins(searchParams, response, pins, cluster)
    asked.push(request.url!.replace('/api/v0/', ''))
    response.on('close', () => {
      if (!response.writableFinished) cut++
    })
    void answer(request, response)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const url = `http://${credentials}127.0.0.1:${(server.address() as AddressInfo).port}${path}`
  const backend = createKuboBackend({ url, clock })
  onTestFinished(async () => {
    await backend.close()
    server.closeAllConnections()
    await new Promise((resolve) => server.close(resolve))
  })
  return { backend, url, asked, cut: () => cut }
}

interface Options {
  readonly credentials?: string
  readonly path?: string
  readonly clock?: Clock
  readonly pins?: FakePins
  /** Whether it answers as the proxy of an IPFS Cluster does. */
  readonly cluster?: boolean
}

function reportPins(query: URLSearchParams, response: ServerResponse, pins: FakePins, cluster: boolean): void {
  const asked = query.getAll('arg')
  const found = [...pins].filter(([cid]) => asked.length === 0 || asked.includes(cid))
  const reported = query.get('type') === 'recursive' ? found : []
  if (asked.length > 0 && reported.length === 0) {
    return refuse(response, `${cluster ? 'Error: ' : ''}path '${asked[0]}' is not pinned`)
  }
  // As Kubo does: a line has no member for a name that is empty.
  const lines = reported.map(([Cid, Name]) => ({ Cid, Type: 'recursive', ...(Name && { Name }) }))
  response.end(lines.map((line) => `${JSON.stringify(line)}\n`).join(''))
}

/** What Kubo says where a command failed. */
export function refuse(response: ServerResponse, message: string, status = 500): void {
  response
    .writeHead(status, { 'Content-Type': 'application/json' })
    .end(JSON.stringify({ Message: message, Code: 0, Type: 'error' }))
}
