// A real gateway over a node whose kept connections break, or lead to a place where it is no more.
import { once } from 'node:events'
import type { RequestListener } from 'node:http'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'
import { type Config, type NetworkConfig } from '@wayleave/gateway'
import { rawJsonFromValue } from '@wayleave/jsonrpc-core'
import { describe, expect, it, onTestFinished } from 'vitest'
import { type ChainNode, startChainNode, testChain } from '../chain-node.ts'
import { frame, key, startNode, startNodeWith, sleep, startTestGateway, type TestNode } from '../support.ts'

/** The nodes behind one address: each new connection leads to the present one, and stays there. */
async function startAddress(node: Pick<TestNode, 'url'>) {
  let target = node.url
  const sockets = new Set<Socket>()
  const server = createServer((near) => {
    const far = connect(Number(new URL(target).port), '127.0.0.1')
    for (const socket of [near, far]) socket.on('error', () => {})
    near.on('close', () => far.destroy())
    far.on('close', () => near.destroy())
    sockets.add(near)
    near.pipe(far).pipe(near)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy()
    server.close()
  })
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    moveTo: (next: Pick<TestNode, 'url'>) => void (target = next.url),
    breakAll(how: 'FIN' | 'RST' | 'upon a request') {
      for (const socket of sockets) {
        if (how === 'upon a request') {
          socket.prependListener('data', () => void socket.resetAndDestroy())
          continue
        }
        if (how === 'FIN') socket.end()
        else socket.resetAndDestroy()
      }
      sockets.clear()
    },
  }
}

async function opened(starting: Promise<TestNode>): Promise<TestNode> {
  const node = await starting
  onTestFinished(() => node.close())
  return node
}

async function gatewayOver(url: string, network: Partial<NetworkConfig> = {}, config: Partial<Config> = {}) {
  const mainnet = { kind: 'evm', chainId: 1, upstreams: [url], ...network } as NetworkConfig
  const gateway = await startTestGateway([], { networks: { mainnet }, ...config })
  onTestFinished(() => gateway.close())
  return async (method: string, params: readonly unknown[]): Promise<{ readonly result?: unknown }> => {
    const response = await fetch(`${gateway.rpc}/v3/${key}`, { method: 'POST', body: frame(method, params) })
    return (await response.json()) as { readonly result?: unknown }
  }
}

const answering = (value: unknown): Promise<TestNode> =>
  opened(startNode(async () => ({ result: rawJsonFromValue(value) })))

/** Rounds of ten reads, and transactions, by each way to end: 40 and 20, or `BROKEN_ROUNDS` times as many. */
const times = Number(process.env['BROKEN_ROUNDS'] ?? 1)
const timeout = 20_000 * times

describe('the only upstream of a network', () => {
  it.each(['FIN', 'RST'] as const)(
    'fails no read while its connections end by %s between calls',
    { timeout },
    async (how) => {
      const address = await startAddress(await answering('0x1'))
      const ask = await gatewayOver(address.url)
      for (let round = 0; round < 40 * times; round++) {
        const answers = await Promise.all(
          Array.from({ length: 10 }, (_, i) => ask('eth_getBalance', [`0x${`${round}${i}`.padStart(40, '0')}`, '0x1'])),
        )
        expect(answers.filter(({ result }) => result !== '0x1')).toEqual([])
        address.breakAll(how)
      }
    },
  )

  it.each(['FIN', 'RST'] as const)(
    'is sent no transaction more than twice, by %s upon it',
    { timeout },
    async (how) => {
      let sends = 0
      const raw =
        '0xf86c098504a817c800825208943535353535353535353535353535353535353535880de0b6b3a76400008025a028ef61340bd939bc2195fe537567866003e1a15d3c71ff63e1590620aa636276a067cbe9d8997f761aecb703304b3800ccf555c9f3dc64214b297fb1966a3b6d83'
      const hash = '0x33469b22e9f636356c4160a87eb19df52b7412e8eac32a4a55ffe88ea8350788'
      const node = await opened(
        startNode(async ({ method }) => {
          if (method !== 'eth_sendRawTransaction') return { result: rawJsonFromValue('0x1') }
          sends++
          if (sends % 2 === 0) return { error: { code: -32000, message: 'already known' } }
          address.breakAll(how)
          return { result: rawJsonFromValue(hash) }
        }),
      )
      const address = await startAddress(node)
      const ask = await gatewayOver(address.url)
      for (let i = 1; i <= 20 * times; i++) {
        await ask('eth_getBalance', [`0x${`${i}`.padStart(40, '0')}`, '0x1'])
        expect(await ask('eth_sendRawTransaction', [raw])).toMatchObject({ result: hash })
        expect(sends).toBe(2 * i)
      }
    },
  )

  it('serves nothing once a node of another chain is in its place, though reads survive the change', async () => {
    const nodeOf = (chainId: number, height: number): Promise<TestNode> =>
      opened(
        startNode(async ({ method }) => {
          if (method === 'eth_chainId') return { result: rawJsonFromValue(`0x${chainId}`) }
          if (method !== 'eth_getBlockByNumber') return { result: rawJsonFromValue(`0x${chainId}`) }
          const hash = `0x${`${chainId}${height}`.padStart(64, '0')}`
          return { result: rawJsonFromValue({ number: `0x${height.toString(16)}`, hash, parentHash: hash }) }
        }),
      )
    const [mainnet, other] = [await nodeOf(1, 100), await nodeOf(5, 101)]
    const address = await startAddress(mainnet)
    const ask = await gatewayOver(address.url, { followHeads: true })
    expect(await ask('eth_getBalance', ['0x1'.padEnd(42, '0'), '0x1'])).toMatchObject({ result: '0x1' })
    address.moveTo(other)
    address.breakAll('upon a request')
    let block = 2
    const next = (): Promise<unknown> => ask('eth_getBalance', ['0x1'.padEnd(42, '0'), `0x${(block++).toString(16)}`])
    await expect.poll(next, { interval: 100 }).toMatchObject({ error: { code: -32603 } })
    await sleep(200)
    expect(await next()).toMatchObject({ error: { code: -32603 } })
  })

  it.each([
    ['answers 503', (_, response) => void response.writeHead(503).end()],
    ['hangs', () => {}],
    ['cuts connections', (request) => void request.socket.destroy()],
  ] satisfies [string, RequestListener][])(
    'that moves is found again once its old place %s',
    { timeout: 40_000 },
    async (_, answer) => {
      const old = await opened(startNodeWith(answer))
      const [before, after] = [await answering('0x1'), await answering('0x2')]
      const address = await startAddress(before)
      const ask = await gatewayOver(address.url, { timeouts: { default: '500ms' } })
      expect(await ask('eth_getBalance', ['0x1'.padEnd(42, '0'), '0x1'])).toMatchObject({ result: '0x1' })
      // The kept connections lead to the old place from now on.
      address.breakAll('FIN')
      address.moveTo(old)
      await ask('eth_getBalance', ['0x1'.padEnd(42, '0'), '0x2'])
      address.moveTo(after)
      let found: unknown
      for (let asked = 0; asked < 200 && found !== '0x2'; asked++) {
        found = (await ask('eth_getBalance', ['0x1'.padEnd(42, '0'), `0x${(10 + asked).toString(16)}`])).result
        await sleep(50)
      }
      expect(found).toBe('0x2')
    },
  )

  it('that moves is found again once its old place is behind another upstream', { timeout: 40_000 }, async () => {
    const chain = testChain(500)
    const nodes = await Promise.all([1, 2, 3].map((seed) => startChainNode(chain, seed)))
    onTestFinished(() => Promise.all(nodes.map((node) => node.close())).then(() => {}))
    const [old, other, after] = nodes as [ChainNode, ChainNode, ChainNode]
    const address = await startAddress(old)
    const ask = await gatewayOver(address.url, { upstreams: [address.url, other.url], followHeads: true })
    await ask('eth_blockNumber', [])
    const stuck = chain.block(chain.height)
    old.answer = (method) => (method === 'eth_getBlockByNumber' ? { result: stuck } : undefined)
    address.moveTo(after)
    let found = false
    after.answer = () => {
      found = true
      return undefined
    }
    const mined = setInterval(() => chain.height++, 100)
    onTestFinished(() => clearInterval(mined))
    await expect.poll(async () => (await ask('eth_blockNumber', []), found), { timeout: 30_000 }).toBe(true)
  })
})

describe('an answer under another status than 200', () => {
  it.each([
    ['201', 201, '"result":"0x1"', { result: '0x1' }],
    ['203', 203, '"result":"0x1"', { result: '0x1' }],
    ['206', 206, '"result":"0x1"', { result: '0x1' }],
    ['500 with a revert', 500, '"error":{"code":3,"message":"execution reverted","data":"0x08"}', reverted()],
    ['413 with a revert', 413, '"error":{"code":3,"message":"execution reverted","data":"0x08"}', reverted()],
    ['429 with a revert', 429, '"error":{"code":3,"message":"execution reverted","data":"0x08"}', reverted()],
    ['500 with words alone', 500, '"error":"nonce too low: next nonce 5"', { error: { code: -32000 } }],
    ['401 with words', 401, '"error":{"code":-32000,"message":"key abc"}', { error: { code: -32603 } }],
    ['429 with words', 429, '"error":{"code":-32000,"message":"key abc"}', { error: {} }],
  ])('%s is told as the node said, unless it concerns the upstream', async (_, status, rest, expected) => {
    const node = await opened(
      startNodeWith((request, response) => {
        let text = ''
        request.on('data', (chunk) => (text += chunk))
        request.on('end', () => {
          const { id } = JSON.parse(text) as { readonly id: number }
          response.writeHead(status, { 'content-type': 'application/json' })
          response.end(`{"jsonrpc":"2.0","id":${id},${rest}}`)
        })
      }),
    )
    const ask = await gatewayOver(node.url)
    const answer = await ask('eth_call', [{ to: `0x${'1'.repeat(40)}` }, '0x1'])
    expect(answer).toMatchObject(expected)
    expect(JSON.stringify(answer)).not.toContain('key abc')
  })
})

function reverted(): object {
  return { error: { code: 3, message: 'execution reverted', data: '0x08' } }
}
