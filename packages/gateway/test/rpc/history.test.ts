import { realSurroundings } from '@wayleave/gateway'
import { expect, it, onTestFinished } from 'vitest'
import { type ChainNode, startChainNode, testChain } from '../chain-node.ts'
import { frame, key, send, startTestGateway } from '../support.ts'

const hex = (number: number): string => `0x${number.toString(16)}`

/** Two nodes of one chain, and callers that are spread over them. */
async function begin() {
  const chain = testChain(500)
  const [a, b] = await Promise.all([startChainNode(chain, 1), startChainNode(chain, 2)])
  const upstreams = [a, b].map(({ url }, i) => ({ name: 'ab'[i]!, url }))
  const networks = { mainnet: { kind: 'evm', chainId: 1, upstreams, followHeads: true } } as const
  const gateway = await startTestGateway([], { networks }, { surroundings: realSurroundings })
  onTestFinished(async () => {
    await gateway.close(0)
    await Promise.all([a.close(), b.close()])
  })
  return {
    chain,
    a,
    b,
    gateway,
    async ask(method: string, params: readonly unknown[] = []) {
      const { body } = await send(gateway.rpc, `/v3/${key}`, { body: frame(method, params) })
      return JSON.parse(body) as { result?: unknown; error?: { code: number; message: string } }
    },
  }
}

const callsOf = (node: ChainNode, method: string): number => node.calls.filter((each) => each === method).length
const balanceAt = (block: number) => ['eth_getBalance', [`0x${'ab'.repeat(20)}`, hex(block)]] as const
const gone = { error: { code: -32000, message: 'missing trie node 0abc (path ) state 0x0abc is not available' } }

it.each([
  ['the head', hex(500)],
  ['the latest block', 'latest'],
  ['a block that it does not name', undefined],
])('logs up to %s come from an upstream that has the served head', async (_what, toBlock) => {
  const { a, b, ask } = await begin()
  b.lag = 1
  for (const node of [a, b]) node.answer = (method) => (method === 'eth_getLogs' ? { result: [] } : undefined)
  while ((await ask('eth_blockNumber')).result !== hex(500));
  for (let i = 0; i < 10; i++) expect((await ask('eth_getLogs', [{ fromBlock: '0x1ef', toBlock }])).result).toEqual([])
  expect([callsOf(a, 'eth_getLogs'), callsOf(b, 'eth_getLogs')]).toEqual([10, 0])
})

it('an upstream that has pruned a state is not asked for it again, nor for older ones, and operators see who has it', async () => {
  const { a, b, gateway, ask } = await begin()
  await ask('eth_blockNumber')
  a.answer = (method) => (method === 'eth_getBalance' ? gone : undefined)
  for (let i = 0; i < 20; i++) expect((await ask(...balanceAt(100 - i))).result).toBe('0x2')
  expect(callsOf(a, 'eth_getBalance')).toBe(1)
  expect(callsOf(b, 'eth_getBalance')).toBe(20)
  const { body } = await send(gateway.admin, '/status', { method: 'GET' })
  const upstreams = JSON.parse(body).networks.mainnet.upstreams as { name: string; oldest?: unknown }[]
  expect(upstreams.map(({ name, oldest }) => [name, oldest])).toEqual([
    ['a', undefined],
    ['b', { state: 81 }],
  ])
})

it('a state that all upstreams have pruned is refused in the words of a node, and asked for again', async () => {
  const { a, b, ask } = await begin()
  await ask('eth_blockNumber')
  for (const node of [a, b]) node.answer = (method) => (method === 'eth_getBalance' ? gone : undefined)
  for (let i = 0; i < 3; i++) expect((await ask(...balanceAt(100))).error).toMatchObject(gone.error)
  // One of them was replaced by an archive.
  b.answer = () => undefined
  expect((await ask(...balanceAt(100))).result).toBe('0x2')
})

it('a receipt that no upstream has is asked for once, and one that an upstream lags behind of twice', async () => {
  const { a, b, ask } = await begin()
  for (const node of [a, b]) {
    node.answer = (method) => (method === 'eth_getTransactionReceipt' ? { result: null } : undefined)
  }
  const hash = `0x${'cd'.repeat(32)}`
  const asked = (): number => callsOf(a, 'eth_getTransactionReceipt') + callsOf(b, 'eth_getTransactionReceipt')
  while ((await ask('eth_blockNumber')).result !== hex(500));
  await expect
    .poll(async () => {
      const before = asked()
      await ask('eth_getTransactionReceipt', [hash])
      return asked() - before
    })
    .toBe(1)
})
