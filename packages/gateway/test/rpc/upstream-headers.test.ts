import { rawJsonFromText } from '@wayleave/jsonrpc-core'
import { expect, it, onTestFinished } from 'vitest'
import { frame, key, refusedUrl, send, startNode, startTestGateway } from '../support.ts'

const curiousKey = 'curious-key'

async function begin() {
  const node = await startNode(async ({ method }) => ({
    result: rawJsonFromText(
      method === 'eth_call' ? '1' : `"${'x'.repeat(method === 'eth_getCode' ? 100_000 : 900_000)}"`,
    ),
  }))
  onTestFinished(() => node.close())
  const upstreams = [await refusedUrl(), { name: 'own', url: node.url }]
  const gateway = await startTestGateway([], {
    networks: { mainnet: { kind: 'evm', chainId: 1, upstreams } },
    projects: [
      { name: 'open', keys: [{ key }] },
      { name: 'curious', keys: [{ key: curiousKey }], showUpstream: true },
    ],
  })
  onTestFinished(() => gateway.close(0))
  return gateway
}

it.each([
  ['short', 'eth_call'],
  ['in chunks', 'eth_getCode'],
  ['still arriving', 'eth_getLogs'],
])('an answer that is %s tells its upstream, and the attempts that it took', async (_what, method) => {
  const gateway = await begin()
  const first = await send(gateway.rpc, `/v3/${key}`, { body: frame(method) })
  expect([first.status, first.headers['x-wayleave-upstream'], first.headers['x-wayleave-attempts']]).toEqual([
    200,
    '2',
    '2',
  ])
  const named = await send(gateway.rpc, `/v3/${curiousKey}`, { body: frame(method) })
  expect(named.headers['x-wayleave-upstream']).toBe('own')
  expect(Number(named.headers['x-wayleave-attempts'])).toBeGreaterThan(0)
})

it('an answer that no upstream gave tells none, nor does a batch', async () => {
  const gateway = await begin()
  for (const body of [frame('admin_peers'), `[${frame('eth_call')}]`]) {
    const { headers } = await send(gateway.rpc, `/v3/${curiousKey}`, { body })
    expect([headers['x-wayleave-upstream'], headers['x-wayleave-attempts']]).toEqual([undefined, undefined])
  }
})

it('pages may read both headers', async () => {
  const gateway = await begin()
  const { headers } = await send(gateway.rpc, `/v3/${key}`, {
    body: frame('eth_call'),
    headers: { origin: 'https://a.example' },
  })
  expect(String(headers['access-control-expose-headers']).split(', ')).toEqual(
    expect.arrayContaining(['X-Wayleave-Upstream', 'X-Wayleave-Attempts']),
  )
})
