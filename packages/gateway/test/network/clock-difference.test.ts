import type { RunningGateway } from '@wayleave/gateway'
import { createLog } from '@wayleave/gateway'
import { expect, it, onTestFinished } from 'vitest'
import { startChainNode, testChain } from '../chain-node.ts'
import { frame, key, send, startTestGateway, until } from '../support.ts'

/** A gateway over one node whose blocks are a few seconds apart, and behind the clock. */
async function begin(behindSeconds: number) {
  const startedAt = Math.floor(Date.now() / 1_000) - 500 - behindSeconds
  const chain = testChain(500, { startedAt })
  const node = await startChainNode(chain, 1)
  onTestFinished(() => node.close())
  let written = ''
  const log = createLog({ level: 'info', destination: { write: (line) => void (written += line) } })
  const upstreams = [{ url: node.url, ws: node.ws }]
  const networks = { mainnet: { kind: 'evm', chainId: 1, upstreams, followHeads: true } } as const
  const gateway: RunningGateway = await startTestGateway([], { networks }, { log })
  onTestFinished(() => gateway.close(0))
  await send(gateway.rpc, `/v3/${key}`, { body: frame('eth_blockNumber') })
  await until(() => node.subscribers === 1)
  for (let i = 0; i < 3; i++) {
    chain.height++
    node.pushHead()
  }
  let upstream: { readonly head?: number; readonly blocksBehindMs?: number } = {}
  while (upstream.head !== 503) {
    const { body } = await send(gateway.admin, '/status')
    upstream = JSON.parse(body).networks.mainnet.upstreams[0]
  }
  return { upstream, lines: written.split('\n').filter((line) => line.includes('differ from this clock')) }
}

it('blocks whose times are far from this clock are reported once in the log, and in /status', async () => {
  const { upstream, lines } = await begin(90)
  expect(upstream.blocksBehindMs).toBeGreaterThan(80_000)
  expect(lines.map((line) => JSON.parse(line))).toMatchObject([{ network: 'mainnet' }])
})

it('blocks of about this clock are not', async () => {
  const { upstream, lines } = await begin(5)
  expect([upstream.blocksBehindMs, lines]).toEqual([undefined, []])
})
