import { type AnvilProcess, startAnvil } from '@wayleave/dev-node'
import type { NetworkConfig, RunningGateway } from '@wayleave/gateway'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { bob, deployDirectly, transact } from './support/chain.ts'
import { httpUrl, startGatewayBefore } from './support/gateway.ts'
import { ask, call, post } from './support/http.ts'
import { type HttpScript, type Peer, type PeerCall, startPeer } from './support/peer.ts'
import { relaying, startRelay } from './support/relay.ts'

interface Block {
  readonly number: string
  readonly hash: string
  readonly parentHash: string
  readonly transactions: readonly string[]
}

let anvil: AnvilProcess
let contract: string
let latest: Block
let honest: Peer
/** Another node of the same chain: one that is listed twice has one voice. */
let another: Peer

beforeAll(async () => {
  anvil = await startAnvil({ name: 'verification-uneven', chainId: 1 })
  ;({ address: contract } = await deployDirectly(anvil.httpUrl))
  await transact(anvil.httpUrl, { to: bob.address, value: '0x5' })
  latest = (await ask(anvil.httpUrl, 'eth_getBlockByNumber', ['latest', false])) as Block
  honest = await startRelay(anvil.httpUrl)
  another = await startRelay(anvil.httpUrl)
}, 120_000)

afterAll(async () => {
  await honest[Symbol.asyncDispose]()
  await another[Symbol.asyncDispose]()
  await anvil.close()
})

function proving(upstreams: NetworkConfig['upstreams'], limits = {}): Promise<RunningGateway> {
  return startGatewayBefore([], {
    networks: { net: { kind: 'evm', chainId: 1, upstreams, verify: 'proven' } },
    limits,
  })
}

/** `<endpoint> <outcome>` of all answers that were verified. */
async function outcomesOf(gateway: RunningGateway): Promise<readonly string[]> {
  const { text } = await post(`${gateway.admin}/metrics`, '', { method: 'GET' })
  const labels = /^wayleave_verifications_total\{network="net",endpoint="(.*?)",method=".*?",outcome="(.*?)"\}/gm
  return [...text.matchAll(labels)].map(([, endpoint, outcome]) => `${endpoint} ${outcome}`)
}

const balance = () => ['eth_getBalance', [bob.address, 'latest']] as const

/** Reads of the last block, each in another way. */
const questions: readonly (readonly [method: string, params: () => readonly unknown[]])[] = [
  ['eth_getBlockByHash', () => [latest.hash, true]],
  ['eth_getBlockByNumber', () => ['latest', false]],
  ['eth_getBlockByNumber', () => [latest.number, true]],
  ['eth_getTransactionByHash', () => [latest.transactions[0]]],
  ['eth_getTransactionReceipt', () => [latest.transactions[0]]],
  ['eth_getTransactionByBlockNumberAndIndex', () => [latest.number, '0x0']],
  ['eth_getTransactionByBlockHashAndIndex', () => [latest.hash, '0x0']],
  ['eth_getBlockTransactionCountByNumber', () => ['latest']],
  ['eth_getUncleByBlockNumberAndIndex', () => [latest.number, '0x0']],
  ['eth_getBlockReceipts', () => [latest.number]],
  ['eth_getLogs', () => [{ fromBlock: '0x1', toBlock: 'latest' }]],
  ['eth_getBalance', () => [bob.address, 'latest']],
  ['eth_getBalance', () => [bob.address, { blockHash: latest.hash }]],
  ['eth_getCode', () => [contract, 'latest']],
  ['eth_getStorageAt', () => [contract, '0x0', latest.number]],
]

/** Answers as a node that lacks the last block. */
function behind({ response, ...asked }: PeerCall): void {
  const parent = `"0x${(Number(latest.number) - 1).toString(16)}"`
  const text = JSON.stringify(asked.params)
  if ([latest.hash, latest.transactions[0]!, `"${latest.number}"`].some((known) => text.includes(known))) {
    const isState = /Balance|Code|Storage|Proof/.test(asked.method)
    const lacking = isState ? { error: { code: -32000, message: 'header not found' } } : { result: null }
    return void response.end(JSON.stringify({ jsonrpc: '2.0', id: asked.id, ...lacking }))
  }
  const params = JSON.parse(text.replaceAll('"latest"', parent)) as readonly unknown[]
  relaying(anvil.httpUrl)({ response, ...asked, params })
}

describe('honest upstreams that are not alike', () => {
  const lags: readonly (readonly [string, readonly boolean[]])[] = [
    ['is behind by a block', [true]],
    ['is two nodes behind one URL, of which one is behind', [true, false]],
    ['changes its node after every two calls', [true, true, false, false]],
    ['has a node of three that is behind', [false, true, false]],
  ]

  it.each(lags)('serve all reads, and are not called liars, where one %s', { timeout: 180_000 }, async (_, lag) => {
    let count = 0
    await using uneven = await startPeer((asked) =>
      lag[count++ % lag.length] === true ? behind(asked) : relaying(anvil.httpUrl)(asked),
    )
    for (const others of [[honest.httpUrl], [honest.httpUrl, another.httpUrl]]) {
      await using gateway = await proving([uneven.httpUrl, ...others])
      for (let round = 0; round < 2; round++) {
        for (const [method, params] of questions) {
          const { status, text } = await post(httpUrl(gateway), call(method, params()))
          // What it does not have it says so of, as it would where nothing is verified.
          expect([method, status, text.includes('verifies')]).toEqual([method, 200, false])
        }
      }
      // It is the first of the order again as soon as a failure of it is forgotten.
      uneven.calls.length = 0
      await expect
        .poll(async () => (await ask(httpUrl(gateway), 'eth_chainId')) && uneven.calls, { timeout: 50_000 })
        .toContain('eth_chainId')
    }
  })
})

describe('an upstream that withholds what its answer is proven by', () => {
  const withholding: readonly (readonly [string, HttpScript])[] = [
    ['an error', ({ id, response }) => void response.end(`{"jsonrpc":"2.0","id":${id},"error":{"code":-32601}}`)],
    ['HTTP 403', ({ response }) => void response.writeHead(403).end('no')],
    ['silence', () => {}],
    ['too much', ({ id, response }) => void response.end(`{"jsonrpc":"2.0","id":${id},"result":"${'x'.repeat(3e5)}"}`)],
  ]
  const limits = { requestTimeoutMs: 8_000, maxUpstreamBytes: 200_000 }

  it.each(withholding)('by %s is not believed while another one proves', { timeout: 90_000 }, async (how, withhold) => {
    await using liar = await startPeer((asked) => {
      if (asked.method === 'eth_getProof') withhold(asked)
      else if (asked.method === 'eth_getBalance')
        asked.response.end(`{"jsonrpc":"2.0","id":${asked.id},"result":"0x0"}`)
      else relaying(anvil.httpUrl)(asked)
    })
    await using gateway = await proving([liar.httpUrl, honest.httpUrl], limits)
    expect(await ask(httpUrl(gateway), ...balance())).toBe(await ask(anvil.httpUrl, ...balance()))
    // One that is silent is passed by before it has shown what it lacks.
    const first = how === 'silence' ? [] : ['upstream-1 unverifiable']
    expect(await outcomesOf(gateway)).toEqual([...first, 'upstream-2 proven'])
  })

  it.each(withholding)('by %s answers where no other one proves', { timeout: 90_000 }, async (how, withhold) => {
    const poor: HttpScript = (asked) =>
      asked.method === 'eth_getProof' ? withhold(asked) : relaying(anvil.httpUrl)(asked)
    await using first = await startPeer(poor)
    await using second = await startPeer(poor)
    await using gateway = await proving([first.httpUrl, second.httpUrl], limits)
    expect(await ask(httpUrl(gateway), ...balance())).toBe(await ask(anvil.httpUrl, ...balance()))
    const others = how === 'silence' ? [] : ['upstream-2 unverifiable']
    expect(await outcomesOf(gateway)).toEqual(['upstream-1 unverifiable', ...others])
  })

  it('answers where another one, of which no proof is asked, has nothing to say', async () => {
    await using poor = await startPeer((asked) =>
      asked.method === 'eth_getProof' ? asked.response.writeHead(403).end('no') : relaying(anvil.httpUrl)(asked),
    )
    await using pruned = await startPeer((asked) =>
      asked.method === 'eth_getBalance' ? behind(asked) : relaying(anvil.httpUrl)(asked),
    )
    await using gateway = await proving([poor.httpUrl, { url: pruned.httpUrl, verify: 'off' }])
    const asked = ['eth_getBalance', [bob.address, latest.number]] as const
    expect(await ask(httpUrl(gateway), ...asked)).toBe(await ask(anvil.httpUrl, ...asked))
    expect(pruned.calls).toContain('eth_getBalance')
  })

  it('by saying that there is no such block is not believed, either', async () => {
    await using liar = await startRelay(anvil.httpUrl, (result, { method }) =>
      /^eth_getBlockBy|ByBlock/.test(method) ? null : result,
    )
    await using gateway = await proving([liar.httpUrl, honest.httpUrl, another.httpUrl])
    for (const [method, params] of questions.filter(([name]) => /^eth_getBlockByNumber|ByBlockNumber/.test(name))) {
      expect(await ask(httpUrl(gateway), method, params())).toEqual(await ask(anvil.httpUrl, method, params()))
    }
  })
})

describe('a proof', () => {
  const full = 'eth_getBlockByHash'
  const votes = (count: number): string[] => Array.from({ length: count }, () => 'eth_getBlockByNumber')
  const costs: readonly (readonly [method: string, params: () => readonly unknown[], beside: readonly string[]])[] = [
    ['eth_getBlockByHash', () => [latest.hash, true], []],
    ['eth_getBlockByHash', () => [latest.hash, false], [full]],
    ['eth_getBlockTransactionCountByHash', () => [latest.hash], [full]],
    ['eth_getTransactionByBlockHashAndIndex', () => [latest.hash, '0x0'], [full]],
    ['eth_getBlockReceipts', () => [latest.hash], [full]],
    ['eth_getTransactionByHash', () => [latest.transactions[0]], [...votes(1), full]],
    ['eth_getTransactionReceipt', () => [latest.transactions[0]], [...votes(1), full, 'eth_getBlockReceipts']],
    ['eth_getBalance', () => [bob.address, latest.number], [...votes(1), 'eth_getProof']],
    ['eth_getStorageAt', () => [contract, '0x0', 'latest'], [...votes(2), 'eth_getProof']],
    ['eth_getLogs', () => [{ fromBlock: latest.number, toBlock: latest.number }], votes(1)],
  ]

  it.each(costs)('of %s costs as many calls as docs/verified-members.md says', async (method, params, beside) => {
    await using asked = await startRelay(anvil.httpUrl)
    await using gateway = await proving([asked.httpUrl, honest.httpUrl])
    await ask(httpUrl(gateway), method, params())
    asked.calls.length = 0
    await ask(httpUrl(gateway), method, params())
    expect(asked.calls.toSorted()).toEqual([method, ...beside].toSorted())
  })
})

// The last test here: it makes the chain longer.
it('latest is not that of an upstream that is far behind', async () => {
  await using syncing = await startRelay(anvil.httpUrl, async (result, { method, params }) =>
    method === 'eth_getBlockByNumber' && params?.[0] === 'latest'
      ? ask(anvil.httpUrl, 'eth_getBlockByNumber', [latest.number, false])
      : result,
  )
  await ask(anvil.httpUrl, 'anvil_mine', ['0x28'])
  await transact(anvil.httpUrl, { to: bob.address, value: '0x5' })
  const truth = await ask(anvil.httpUrl, ...balance())
  expect(await ask(anvil.httpUrl, 'eth_getBalance', [bob.address, latest.number])).not.toBe(truth)
  for (const [upstreams, outcomes] of [
    [
      [honest, syncing],
      ['upstream-1 unverifiable', 'upstream-2 unverifiable'],
    ],
    [[syncing, honest, another], ['upstream-1 proven']],
  ] as const) {
    await using gateway = await proving(upstreams.map(({ httpUrl: url }) => url))
    expect(await ask(httpUrl(gateway), ...balance())).toBe(truth)
    expect(await outcomesOf(gateway)).toEqual(outcomes)
  }
})
