import type { Config, RunningGateway } from '@wayleave/gateway'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import {
  basic,
  closedKey,
  elsewhereKey,
  key,
  secret,
  send,
  startNode,
  startTestGateway,
  type TestNode,
} from '../support.ts'
import { createFeeNode } from './support.ts'

const gas = { blocksOnDemand: true } as const
let node: TestNode
let gateway: RunningGateway

beforeAll(async () => {
  node = await startNode(createFeeNode().handler)
  const networks: Config['networks'] = {
    mainnet: { kind: 'evm', chainId: 1, upstreams: [node.url], gas },
    other: { kind: 'rollup', chainId: 2, upstreams: [node.url], gas },
  }
  gateway = await startTestGateway([], { networks })
})

afterAll(async () => {
  await gateway.close()
  await node.close()
})

describe('Blocknative’s form of the gas API', () => {
  it.each([
    ['the key in the path', `/v3/${key}/gasprices/blockprices`, {}, 200],
    ['the bare key in Authorization, as Blocknative takes it', '/gasprices/blockprices', { authorization: key }, 200],
    ['HTTP Basic', '/gasprices/blockprices?chainid=1', { authorization: basic(key, secret) }, 200],
    ['a chain id in hex', `/v3/${key}/gasprices/blockprices?chainid=0x2`, {}, 200],
    ['no key', '/gasprices/blockprices', {}, 401],
    ['a bare key that is none', '/gasprices/blockprices', { authorization: 'nobody' }, 401],
    ['a bare key that requires its secret', '/gasprices/blockprices', { authorization: closedKey }, 401],
    ['two keys', `/v3/${key}/gasprices/blockprices`, { authorization: closedKey }, 400],
    ['a network that is not the project’s', `/v3/${elsewhereKey}/gasprices/blockprices?chainid=1`, {}, 403],
    ['two chains', `/v3/${key}/gasprices/blockprices?chainid=1&chainid=7`, {}, 400],
    ['the same chain twice', '/gasprices/blockprices?chainid=0x1&chainid=1', { authorization: key }, 400],
    ['an unknown chain', `/v3/${key}/gasprices/blockprices?chainid=9`, {}, 400],
  ])('answers %s', async (_, url, headers, status) => {
    const answer = await send(gateway.rpc, url, { headers })
    expect(answer.status).toBe(status)
    if (status === 200) {
      const chain = url.includes('0x2') ? 'other' : 'mainnet'
      const body = JSON.parse(answer.body) as {
        readonly blockPrices: readonly { readonly estimatedPrices: object[] }[]
      }
      expect(body).toMatchObject({
        network: chain,
        unit: 'gwei',
        currentBlockNumber: 2,
        wayleave: { calibrated: false },
      })
      expect(body.blockPrices[0]!.estimatedPrices).toHaveLength(3)
    } else expect(JSON.parse(answer.body)).toMatchObject({ statusCode: status })
  })

  it('takes a bare key for no other endpoint', async () => {
    const answer = await send(gateway.rpc, '/networks/1/suggestedGasFees', { headers: { authorization: key } })
    expect(answer.status).toBe(401)
  })
})
