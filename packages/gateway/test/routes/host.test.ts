import type { RunningGateway } from '@wayleave/gateway'
import { rawJsonFromValue } from '@wayleave/jsonrpc-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { frame, key, rawConnection, startNode, startTestGateway, type TestNode } from '../support.ts'

const names = ['mainnet', 'base-sepolia', 'rpc', 'home'] as const
const nodes: TestNode[] = []
let gateway: RunningGateway

beforeAll(async () => {
  for (const name of names) nodes.push(await startNode(async () => ({ result: rawJsonFromValue(name) })))
  const networks = Object.fromEntries(
    names.map((name, i) => [name, { kind: 'evm', chainId: i + 1, upstreams: [nodes[i]!.url] } as const]),
  )
  const bareHosts = ['rpc.example.org', 'API.example.org']
  const projects = [{ name: 'open', keys: [{ key }] }]
  gateway = await startTestGateway([], { networks, defaultNetwork: 'home', bareHosts, projects })
})
afterAll(async () => {
  await gateway.close(0)
  for (const node of nodes) await node.close()
})

/** The network that answers under a host; `home` where none is named; for others the name in the refusal. */
async function networkAt(host: string): Promise<string> {
  const connection = rawConnection(gateway.rpc)
  const body = frame('eth_gasPrice')
  connection.send(
    `POST /v3/${key} HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\nContent-Length: ${body.length}\r\n\r\n${body}`,
  )
  const text = await connection.whole()
  connection.socket.end()
  const { result, error } = JSON.parse(/\{.*\}/s.exec(text)![0])
  return result ?? error.message
}

describe('a host', () => {
  it.each([
    ['mainnet.example.org', 'mainnet'],
    ['mainnet.example.org:8545', 'mainnet'],
    ['MAINNET.Example.ORG', 'mainnet'],
    ['mainnet.example.org.', 'mainnet'],
    ['base-sepolia.a.b.c', 'base-sepolia'],
    ['mainnet', 'mainnet'],
    ['mainnet:8545', 'mainnet'],
    ['rpc.example.com', 'rpc'],
  ])('%j means the network of its first label', async (host, network) => {
    expect(await networkAt(host)).toBe(network)
  })

  it.each([
    '',
    'localhost',
    'localhost:8545',
    'LOCALHOST',
    'localhost.',
    'gateway',
    '127.0.0.1',
    '127.0.0.1:8545',
    '[::1]',
    '[::1]:8545',
    '[::ffff:127.0.0.1]:80',
    '[2001:db8::1]',
    ':8545',
  ])('%j is bare and means no network', async (host) => {
    expect(await networkAt(host)).toBe('home')
  })

  it.each(['rpc.example.org', 'rpc.example.org:443', 'RPC.EXAMPLE.ORG', 'rpc.example.org.', 'api.example.org'])(
    '%j is bare because it was configured so',
    async (host) => {
      expect(await networkAt(host)).toBe('home')
    },
  )

  it.each([
    ['polygon.example.org', 'polygon'],
    ['www.mainnet.example.org', 'www'],
    ['mainnet2.example.org', 'mainnet2'],
    ['constructor.example.org', 'constructor'],
    ['.example.org', ''],
  ])('%j names a network that is not here', async (host, network) => {
    expect(await networkAt(host)).toBe(`unknown network "${network}"`)
  })
})
