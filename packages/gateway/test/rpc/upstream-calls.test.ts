import { createLog } from '@wayleave/gateway'
import { expect, it, onTestFinished } from 'vitest'
import { type ChainNode, startChainNode, testChain } from '../chain-node.ts'
import { frame, key, send, startTestGateway, until } from '../support.ts'
import { openSocket } from '../web-socket-client.ts'

/** So many nodes of one chain behind a gateway that follows heads, asked in their order while they are well. */
async function begin(count: number, more: object = {}) {
  const chain = testChain(50)
  const nodes = await Promise.all(Array.from({ length: count }, (_, i) => startChainNode(chain, i)))
  const lines: Record<string, unknown>[] = []
  const log = createLog({ level: 'info', destination: { write: (line) => void lines.push(JSON.parse(line)) } })
  const upstreams = nodes.map(({ url, ws }, i) => ({ name: 'ab'[i]!, url, ws, ...more }))
  const networks = { mainnet: { kind: 'evm', chainId: 1, upstreams, followHeads: true } } as const
  const gateway = await startTestGateway([], { networks }, { log })
  onTestFinished(async () => {
    await gateway.close(0)
    for (const node of nodes) await node.close()
  })
  return {
    nodes: nodes as [ChainNode, ...ChainNode[]],
    lines,
    gateway,
    ask: async (method: string, params: readonly unknown[] = []) =>
      JSON.parse((await send(gateway.rpc, `/v3/${key}`, { body: frame(method, params) })).body) as {
        readonly result?: unknown
      },
    /** The calls to an upstream by purpose. */
    async counts(endpoint: string): Promise<Record<string, number>> {
      const { body } = await send(gateway.admin, '/metrics')
      const label = new RegExp(`^wayleave_upstream_calls_total\\{.*endpoint="${endpoint}",purpose="(\\w+)"\\} (\\d+)$`)
      const found = body.split('\n').flatMap((line) => {
        const [, purpose, number] = label.exec(line) ?? []
        return purpose === undefined ? [] : [[purpose, Number(number)] as const]
      })
      return Object.fromEntries(found)
    },
  }
}

it('calls to an upstream are counted by their purpose', async () => {
  const { nodes, gateway, ask, counts } = await begin(2)
  await ask('eth_gasPrice')
  expect(await counts('a')).toMatchObject({ caller: 1, probe: 1, head: expect.any(Number) })
  expect(await counts('b')).not.toHaveProperty('caller')

  nodes[0].answer = (method) => (method === 'eth_gasPrice' ? 'hang' : undefined)
  expect((await ask('eth_gasPrice')).result).toBe('0x1')
  expect(await counts('b')).toMatchObject({ hedge: 1 })
  expect(await counts('b')).not.toHaveProperty('caller')

  const socket = await openSocket(`${gateway.ws}/ws/v3/${key}`)
  socket.send(frame('eth_subscribe', ['newPendingTransactions']))
  await socket.next()
  const streams = [await counts('a'), await counts('b')].map(({ stream = 0 }) => stream)
  expect(streams.reduce((sum, each) => sum + each, 0)).toBe(1)
  await socket.close()

  await send(gateway.rpc, `/v3/${key}/networks/1/suggestedGasFees`)
  const fees = [await counts('a'), await counts('b')].map(({ fee = 0 }) => fee)
  expect(fees.reduce((sum, each) => sum + each, 0)).toBeGreaterThan(0)
})

it('the gas limit of calls is that of the head that is followed already', async () => {
  const { nodes, ask, counts } = await begin(1)
  let latest = 0
  nodes[0].answer = (method, params) => {
    if (method === 'eth_getBlockByNumber' && params[0] === 'latest') latest++
    return undefined
  }
  await ask('eth_gasPrice')
  for (let i = 0; i < 20; i++) await ask('eth_call', [{ gas: '0xffffffffffff', data: `0x${i + 10}` }])
  // One of the questions for heads is the subscription.
  expect(latest).toBeLessThanOrEqual((await counts('a'))['head']! - 1)
})

it('the gateway pays its own questions out of the budget of an upstream', async () => {
  const { gateway, ask } = await begin(1, { budget: { perDay: 1_000, prices: { eth_chainId: 100, '*': 1 } } })
  await ask('eth_gasPrice')
  const { body } = await send(gateway.admin, '/metrics')
  const spent = /units_spent\{network="mainnet",endpoint="a",period="day"\} (\d+)/.exec(body)!
  const heads = /endpoint="a",purpose="head"\} (\d+)/.exec(body)!
  expect(Number(spent[1])).toBe(100 + Number(heads[1]) + 1)
})

it('the log has one line for each change of how an upstream is asked, and calls none left alone that is tried', async () => {
  const { nodes, lines, ask } = await begin(2)
  const [node, other] = nodes
  await ask('eth_gasPrice')
  node.refuse = (method) => (method === 'eth_gasPrice' ? { status: 500, headers: {} } : undefined)
  for (let i = 0; i < 6; i++) expect((await ask('eth_gasPrice')).result).toBe('0x1')
  node.refuse = () => undefined
  const changes = () => lines.filter(({ before, endpoint }) => before !== undefined && endpoint === 'a')
  other!.refuse = (method) => (method === 'eth_gasPrice' ? { status: 500, headers: {} } : undefined)
  for (let i = 0; i < 400 && changes().at(-1)?.['exclusion'] !== 'up'; i++) await ask('eth_gasPrice')
  await until(() => changes().at(-1)?.['exclusion'] === 'up')
  expect(changes().map(({ level, exclusion, msg }) => [level, exclusion, msg])).toEqual([
    [40, 'cooling_down', 'an upstream is left alone'],
    [30, 'half_open', 'an upstream has answered, and is tried again'],
    [30, 'up', 'an upstream is asked again'],
  ])
})

it('null is no answer to a call that always has one, while another upstream gives it', async () => {
  const { nodes, ask } = await begin(2)
  nodes[0].answer = (method) => (method === 'eth_gasPrice' ? { result: null } : undefined)
  expect(await Promise.all(Array.from({ length: 10 }, () => ask('eth_gasPrice')))).toEqual(
    Array.from({ length: 10 }, () => expect.objectContaining({ result: '0x1' })),
  )
})
