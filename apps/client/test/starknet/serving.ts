import { once } from 'node:events'
import { mkdtemp, readFile, writeFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { apiKey, type Gateway, type Seen, startCommand } from '../helpers.ts'

/** A Starknet node that speaks a version and remembers what it saw; an answer with a `code` is an error. */
export interface StarknetNode {
  readonly url: string
  readonly seen: Seen[]
  close(): void
}

export async function serveStarknet(
  version: string,
  answers: Readonly<Record<string, unknown>> = {},
): Promise<StarknetNode> {
  const table: Readonly<Record<string, unknown>> = {
    starknet_specVersion: version,
    starknet_chainId: '0x534e5f4d41494e',
    ...answers,
  }
  const seen: Seen[] = []
  const server = createServer((request, response) => {
    let text = ''
    request.setEncoding('utf8').on('data', (chunk: string) => (text += chunk))
    request.on('end', () => {
      const body = JSON.parse(text) as Seen['body']
      seen.push({ path: request.url, authorization: request.headers.authorization, body })
      const answer = table[body.method] ?? { code: -32601, message: 'Method not found' }
      const isError = typeof answer === 'object' && 'code' in answer
      response.setHeader('content-type', 'application/json')
      response.end(JSON.stringify({ jsonrpc: '2.0', id: body.id, [isError ? 'error' : 'result']: answer }))
    })
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    seen,
    close() {
      server.closeAllConnections()
      server.close()
    },
  }
}

/** A real gateway over such nodes, by the paths of their networks; a process, as the command stands above this package. */
export async function serveGateway(upstreams: Readonly<Record<string, string>>): Promise<Gateway> {
  const folder = await mkdtemp(join(tmpdir(), 'wayleave-client-test-'))
  const config = join(folder, 'wayleave.config.json')
  const networks = Object.entries(upstreams).map(([slug, url]) => [
    slug,
    { kind: 'starknet', chainId: 'SN_MAIN', upstreams: [url] },
  ])
  await writeFile(
    config,
    JSON.stringify({
      listen: { rpc: '127.0.0.1:0', admin: '127.0.0.1:0' },
      networks: Object.fromEntries(networks) as object,
      projects: [{ name: 'test', keys: [{ key: apiKey }] }],
    }),
  )
  return startCommand(['serve', '--config', config], folder)
}

interface Recorded {
  readonly cases: readonly {
    readonly id: string
    readonly exchanges: readonly { readonly request: string; readonly response: string }[]
  }[]
}

/** What a node of a version was asked and what it answered. */
export async function recorded(id: string): Promise<{ readonly params: unknown; readonly result: unknown }> {
  const file = new URL('../../../../packages/starknet-types/test/vectors/recorded-answers.json', import.meta.url)
  const { cases } = JSON.parse(await readFile(file, 'utf8')) as Recorded
  const [exchange] = cases.find((each) => each.id === id)!.exchanges
  const { params } = JSON.parse(exchange!.request) as { params: unknown }
  return { params, result: (JSON.parse(exchange!.response) as { result: unknown }).result }
}
