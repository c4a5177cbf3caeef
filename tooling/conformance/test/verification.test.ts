import { type AnvilProcess, startAnvil } from '@wayleave/dev-node'
import type { EvmNetworkConfig, RunningGateway } from '@wayleave/gateway'
import { createClient } from '@wayleave/client'
import { verify as checked } from '@wayleave/client/verify'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { alice, bob, deployDirectly, transact } from './support/chain.ts'
import { httpUrl, startGatewayBefore, wsUrl } from './support/gateway.ts'
import { ask, call, post, type RpcAnswer } from './support/http.ts'
import { deadUrl, hang, type Peer, startPeer } from './support/peer.ts'
import { lyingAbout, relaying, startRelay } from './support/relay.ts'
import { openSocket } from './support/socket.ts'

const reported = 'no upstream gave an answer that verifies'

let anvil: AnvilProcess
let contract: `0x${string}`
let stored: `0x${string}`
let latest: Readonly<Record<string, string>>
let honest: Peer

beforeAll(async () => {
  anvil = await startAnvil({ name: 'verification', chainId: 1 })
  ;({ address: contract, storedIn: stored } = await deployDirectly(anvil.httpUrl))
  await transact(anvil.httpUrl, { to: bob.address, value: '0x5' })
  latest = (await ask(anvil.httpUrl, 'eth_getBlockByNumber', ['latest', false])) as typeof latest
  honest = await startRelay(anvil.httpUrl)
}, 120_000)

afterAll(async () => {
  await honest[Symbol.asyncDispose]()
  await anvil.close()
})

function verifying(
  upstreams: readonly string[],
  verify: EvmNetworkConfig['verify'],
  requestTimeoutMs = 30_000,
): Promise<RunningGateway> {
  return startGatewayBefore([], {
    networks: { net: { kind: 'evm', chainId: 1, upstreams, verify: verify! } },
    limits: { requestTimeoutMs },
  })
}

interface Count {
  readonly endpoint: string
  readonly outcome: string
}

/** What was verified, in the order of the metric. */
async function countsOf(gateway: RunningGateway): Promise<readonly Count[]> {
  const { text } = await post(`${gateway.admin}/metrics`, '', { method: 'GET' })
  const labels = /^wayleave_verifications_total\{network="net",endpoint="(.*?)",method=".*?",outcome="(.*?)"\}/gm
  return [...text.matchAll(labels)].map(([, endpoint, outcome]) => ({ endpoint: endpoint!, outcome: outcome! }))
}

/** Each a question and a lie: the member of its answer that the first upstream changes. */
const lies: readonly {
  readonly method: string
  readonly params: () => readonly unknown[]
  readonly path: readonly (string | number)[]
  readonly value: unknown
  readonly by: readonly ('consistent' | 'proven')[]
}[] = [
  lie('eth_getBlockByHash', () => [latest['hash'], true], ['transactions', 0, 'value'], '0x6'),
  lie('eth_getBlockByHash', () => [latest['hash'], false], ['stateRoot'], `0x${'12'.repeat(32)}`),
  lie('eth_getTransactionByHash', () => [stored], ['from'], bob.address),
  lie('eth_getTransactionByHash', () => [stored], ['input'], '0x6057361d'),
  lie('eth_getTransactionReceipt', () => [stored], ['logs', 0, 'address'], bob.address),
  lie('eth_getTransactionReceipt', () => [stored], ['status'], '0x0', ['proven']),
  lie('eth_getBlockReceipts', () => [latest['hash']], [0, 'gasUsed'], '0x5209'),
  lie('eth_getBalance', () => [bob.address, 'latest'], [], '0x0', ['proven']),
  lie('eth_getTransactionCount', () => [alice.address, 'latest'], [], '0x1', ['proven']),
  lie('eth_getStorageAt', () => [contract, '0x0', 'latest'], [], `0x${'0'.repeat(63)}7`, ['proven']),
  lie('eth_getCode', () => [contract, 'latest'], [], '0x00', ['proven']),
]

function lie(
  method: string,
  params: () => readonly unknown[],
  path: readonly (string | number)[],
  value: unknown,
  by: readonly ('consistent' | 'proven')[] = ['consistent', 'proven'],
): (typeof lies)[number] {
  return { method, params, path, value, by }
}

const cases = lies.flatMap((one) =>
  one.by.map((level) => ({ ...one, level, what: [one.method, ...one.path].join('.') })),
)

describe('an upstream that lies', () => {
  it.each(cases)(
    'about $what is found out where $level is asked for',
    async ({ method, params, path, value, level }) => {
      await using liar = await startRelay(anvil.httpUrl, lyingAbout(method, path, value))
      await using gateway = await verifying([liar.httpUrl, honest.httpUrl], level)
      const truth = await ask(honest.httpUrl, method, params())
      expect(await ask(httpUrl(gateway), method, params())).toEqual(truth)
      expect(await countsOf(gateway)).toContainEqual({ endpoint: 'upstream-1', outcome: 'refused' })
      // Only the quorum hears it from now on.
      liar.calls.length = 0
      expect(await ask(httpUrl(gateway), method, params())).toEqual(truth)
      expect(await ask(httpUrl(gateway), 'eth_chainId')).toBe('0x1')
      expect(liar.calls.filter((asked) => asked !== 'eth_getBlockByNumber')).toEqual([])
    },
  )

  it('by a label that makes its answer undecidable is found out by the proof of another one', async () => {
    const labelled = lyingAbout('eth_getBlockByHash', ['transactions', 0, 'type'], '0x55')
    await using liar = await startRelay(anvil.httpUrl, labelled)
    await using second = await startRelay(anvil.httpUrl)
    await using gateway = await verifying([liar.httpUrl, honest.httpUrl, second.httpUrl], 'proven')
    const asked = ['eth_getBlockByHash', [latest['hash'], true]] as const
    const truth = await ask(anvil.httpUrl, ...asked)
    expect(await ask(httpUrl(gateway), ...asked)).toEqual(truth)
    expect(await countsOf(gateway)).toContainEqual({ endpoint: 'upstream-1', outcome: 'refused' })
    liar.calls.length = 0
    expect(await ask(httpUrl(gateway), ...asked)).toEqual(truth)
    expect(await ask(httpUrl(gateway), 'eth_chainId')).toBe('0x1')
    expect(liar.calls).toEqual([])
  })

  it('is soon asked again where it may only follow another fork', { timeout: 90_000 }, async () => {
    const elsewhere = `0x${'56'.repeat(32)}`
    await using forked = await startRelay(anvil.httpUrl, (result, { method }) =>
      method === 'eth_getTransactionByHash' ? { ...(result as object), blockHash: elsewhere } : result,
    )
    await using gateway = await verifying([forked.httpUrl, honest.httpUrl], 'proven')
    const truth = await ask(honest.httpUrl, 'eth_getTransactionByHash', [stored])
    expect(await ask(httpUrl(gateway), 'eth_getTransactionByHash', [stored])).toEqual(truth)
    expect(await countsOf(gateway)).toContainEqual({ endpoint: 'upstream-1', outcome: 'refused' })
    for (const end = performance.now() + 60_000; performance.now() < end && !forked.calls.includes('eth_chainId');) {
      await sleep(50)
      await ask(httpUrl(gateway), 'eth_chainId')
    }
    expect(forked.calls).toContain('eth_chainId')
  })

  it('about the head is outvoted by two others', async () => {
    const forged = lyingAbout('eth_getBlockByNumber', ['hash'], `0x${'12'.repeat(32)}`)
    await using liar = await startRelay(anvil.httpUrl, forged)
    await using second = await startRelay(anvil.httpUrl)
    await using gateway = await verifying([liar.httpUrl, honest.httpUrl, second.httpUrl], 'proven')
    const block = await ask(httpUrl(gateway), 'eth_getBlockByNumber', ['latest', false])
    expect(block).toMatchObject({ hash: latest['hash'] })
    expect((await countsOf(gateway)).map(({ outcome }) => outcome)).toEqual(['proven'])
  })

  it('is found out over WebSocket and in a batch', async () => {
    const about = lyingAbout('eth_getTransactionByHash', ['value'], '0x1')
    await using liar = await startRelay(anvil.httpUrl, about)
    const truth = await ask(honest.httpUrl, 'eth_getTransactionByHash', [stored])
    {
      await using gateway = await verifying([liar.httpUrl, honest.httpUrl], 'proven')
      await using socket = await openSocket(wsUrl(gateway))
      expect((await socket.ask('eth_getTransactionByHash', [stored])).result).toEqual(truth)
    }
    await using gateway = await verifying([liar.httpUrl, honest.httpUrl], 'consistent')
    const batch = [call('eth_getTransactionByHash', [stored], 'a'), call('eth_chainId', [], 'b')]
    const { text } = await post(httpUrl(gateway), batch)
    expect(JSON.parse(text)).toMatchObject([
      { id: 'a', result: truth },
      { id: 'b', result: '0x1' },
    ])
  })

  it('is found out where it is a WebSocket, too', async () => {
    await using liar = await startRelay(anvil.httpUrl, lyingAbout('eth_getBalance', [], '0x0'))
    await using gateway = await verifying([liar.wsUrl, honest.wsUrl], 'proven')
    const asked = ['eth_getBalance', [bob.address, 'latest']] as const
    expect(await ask(httpUrl(gateway), ...asked)).toBe(await ask(anvil.httpUrl, ...asked))
    expect((await countsOf(gateway)).map(({ outcome }) => outcome)).toEqual(['refused', 'proven'])
  })

  it('leaves an error that names the member, where nobody else is left', async () => {
    await using liar = await startRelay(anvil.httpUrl, lyingAbout('eth_getTransactionByHash', ['from'], bob.address))
    const body = call('eth_getTransactionByHash', [stored])
    for (const [upstreams, status] of [
      [[liar.httpUrl, liar.httpUrl], 503],
      [[liar.httpUrl, await deadUrl()], 503],
      [[liar.httpUrl], 502],
    ] as const) {
      await using gateway = await verifying(upstreams, 'proven')
      const reply = await post(httpUrl(gateway), body)
      expect(reply.status).toBe(status)
      expect((JSON.parse(reply.text) as RpcAnswer).error).toEqual({
        code: -32603,
        message: `${reported}: from is false`,
        data: { traceId: reply.headers['x-trace-id'] },
      })
      await using socket = await openSocket(wsUrl(gateway))
      expect((await socket.ask('eth_getTransactionByHash', [stored])).error?.message).toBe(`${reported}: from is false`)
    }
  })
})

describe('what cannot be proven', () => {
  const balance = ['eth_getBalance', [bob.address, 'latest']] as const

  it.each(['refuses connections', 'never answers'])('passes where the other upstream %s', async (how) => {
    await using silent = await startPeer(hang)
    const other = how === 'never answers' ? silent.httpUrl : await deadUrl()
    // Of these 5 s, an upstream has 2.5 while there is another one, and a vote a quarter of that.
    await using gateway = await verifying([honest.httpUrl, other], 'proven', 5_000)
    expect(await ask(httpUrl(gateway), ...balance)).toBe(await ask(anvil.httpUrl, ...balance))
    expect(await countsOf(gateway)).toEqual([{ endpoint: 'upstream-1', outcome: 'unverifiable' }])
    const block = await ask(httpUrl(gateway), 'eth_getBlockByNumber', ['latest', true])
    expect(block).toMatchObject({ hash: latest['hash'] })
    expect(await countsOf(gateway)).toContainEqual({ endpoint: 'upstream-1', outcome: 'consistent' })
    // What goes without the other one is proven.
    await ask(httpUrl(gateway), 'eth_getTransactionByHash', [stored])
    expect(await countsOf(gateway)).toContainEqual({ endpoint: 'upstream-1', outcome: 'proven' })
  })

  it('has to agree with itself all the same', async () => {
    await using liar = await startRelay(anvil.httpUrl, lyingAbout('eth_getBlockByNumber', ['gasUsed'], '0x1'))
    await using gateway = await verifying([liar.httpUrl], 'proven')
    const { status } = await post(httpUrl(gateway), call('eth_getBlockByNumber', ['latest', false]))
    expect(status).toBe(502)
  })

  it('comes as it was asked for from nodes that give no proof, or take no block by its hash there', async () => {
    const poor: Parameters<typeof startPeer>[0] = (asked) => {
      const isByHash = typeof asked.params?.[1] === 'object'
      if (asked.method !== 'eth_getProof' && !isByHash) return relaying(anvil.httpUrl)(asked)
      const error = { code: -32602, message: 'invalid params' }
      return void asked.response.end(JSON.stringify({ jsonrpc: '2.0', id: asked.id, error }))
    }
    await using first = await startPeer(poor)
    await using second = await startPeer(poor)
    await using gateway = await verifying([first.httpUrl, second.httpUrl], 'proven')
    expect(await ask(httpUrl(gateway), ...balance)).toBe(await ask(anvil.httpUrl, ...balance))
    expect((await countsOf(gateway)).map(({ outcome }) => outcome)).toEqual(['unverifiable', 'unverifiable'])
  })

  it('comes from the next upstream, where one does not have what the others call the latest', async () => {
    let isBehind = false
    await using first = await startRelay(anvil.httpUrl, (result, { method }) =>
      isBehind && method === 'eth_getBlockByHash' ? null : result,
    )
    await using gateway = await verifying([first.httpUrl, honest.httpUrl], 'proven')
    const asked = ['eth_getBlockByNumber', ['latest', false]] as const
    const block = await ask(httpUrl(gateway), ...asked)
    isBehind = true
    expect(block).toMatchObject({ hash: latest['hash'] })
    expect(await ask(httpUrl(gateway), ...asked)).toEqual(block)
    expect((await countsOf(gateway)).map(({ outcome }) => outcome)).toEqual(['proven', 'consistent', 'proven'])
  })
})

describe('a client that verifies', () => {
  it('proves by a block that its user vouches for, and refuses a liar by name', async () => {
    const reports: string[] = []
    const anchor = { blockHash: latest['hash'] as `0x${string}` }
    await using client = createClient({
      url: honest.httpUrl,
      verify: checked({
        require: 'proven',
        anchor,
        onVerdict: (verdict, method) => reports.push(`${method} ${verdict.ok}`),
      }),
    })
    const balance = await client.eth.getBalance([bob.address as `0x${string}`, 'latest'])
    expect(balance).toBe(await ask(anvil.httpUrl, 'eth_getBalance', [bob.address, 'latest']))
    expect(await client.eth.getStorageAt([contract, '0x0', 'latest'])).toBe(`0x${'0'.repeat(62)}2a`)
    expect(reports).toEqual(['eth_getBalance true', 'eth_getStorageAt true'])
    await using liar = await startRelay(anvil.httpUrl, lyingAbout('eth_getBalance', [], '0x0'))
    await using deceived = createClient({ url: liar.httpUrl, verify: checked({ require: 'proven', anchor }) })
    await expect(deceived.eth.getBalance([bob.address as `0x${string}`, 'latest'])).rejects.toMatchObject({
      name: 'RpcError',
      code: 'invalid_response',
      cause: { name: 'VerifyError', code: 'mismatch' },
    })
  })

  it('proves by what several nodes say', async () => {
    await using other = createClient({ url: honest.httpUrl })
    const quorum = { handlers: [other.handler, other.handler], atLeast: 2 }
    await using client = createClient({
      url: honest.httpUrl,
      verify: checked({ require: 'proven', anchor: { quorum } }),
    })
    const receipt = await client.eth.getTransactionReceipt([stored])
    expect(receipt).toMatchObject({ status: '0x1', transactionHash: stored })
  })
})
