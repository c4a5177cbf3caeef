import type { RunningGateway } from '@wayleave/gateway'
import { describe, expect, it, onTestFinished } from 'vitest'
import { type ChainNode, startChainNode, type TestChain, testChain } from '../chain-node.ts'
import { frame, key, send, sleep, startTestGateway, until } from '../support.ts'
import { openSocket, type TestSocket } from '../web-socket-client.ts'

const hex = (number: number): string => `0x${number.toString(16)}`
const hashOf = (transaction: number): string => `0x${transaction.toString(16).padStart(64, '0')}`
const account = (i: number): string => `0x${i.toString(16).padStart(40, '0')}`

/** Has a node tell its pending block as one with flashblocks does, or as one without. Answers how many transactions that block has so far. */
function reportPending(node: ChainNode, chain: TestChain, part: { count: number } | undefined): void {
  node.answer = (method, params) => {
    const pending = chain.height + (part === undefined ? 0 : 1)
    switch (method) {
      case 'op_supportedCapabilities':
        return part === undefined
          ? { error: { code: -32601, message: 'the method does not exist' } }
          : { result: ['flashblocksv1'] }
      case 'eth_getTransactionReceipt':
      case 'eth_getTransactionByHash':
        return { result: part && { transactionHash: params[0], hash: params[0], blockNumber: hex(pending) } }
      case 'eth_getBlockByNumber':
        return params[0] === 'pending'
          ? { result: { ...chain.block(pending), size: hex(part?.count ?? 0) } }
          : undefined
      case 'eth_getBalance':
      case 'eth_call':
        return { result: hex(pending * 1_000 + (part === undefined ? 0 : part.count++)) }
      default:
        return undefined
    }
  }
}

/** A part of a block, as Base documents it. */
const part = (number: number, index: number): object => ({
  payload_id: `0x03${number.toString(16).padStart(14, '0')}`,
  index,
  ...(index === 0 && { base: { block_number: hex(number) } }),
  diff: { transactions: ['0x02'] },
  metadata: { block_number: number },
})
const nameOf = (number: number, i: number): string => hashOf(number * 1_000 + i)
const logOf = (number: number, i: number): object => ({
  address: account(1),
  topics: [],
  data: '0x',
  blockNumber: hex(number),
  transactionHash: nameOf(number, i),
  transactionIndex: hex(i),
  logIndex: hex(i),
})
/** Has a node refuse the subscriptions that it does not know. */
const refusing =
  (before: ChainNode['answer']): ChainNode['answer'] =>
  (method, params) =>
    method === 'eth_subscribe' && params[0] !== 'newHeads'
      ? { error: { code: -32601, message: `no "${String(params[0])}" subscription in eth namespace` } }
      : before(method, params)

/** An answer: its result is a block or a receipt, or a quantity. */
interface Answer {
  readonly result?: string & { readonly number: string; readonly blockNumber: string }
  readonly error?: { readonly message: string }
}

interface Rig {
  readonly gateway: RunningGateway
  readonly chain: TestChain
  /** The one with flashblocks, and the others. */
  readonly nodes: readonly ChainNode[]
  ask(method: string, params?: readonly unknown[], of?: string): Promise<Answer>
}

/** Nodes of an OP-stack chain, the second one or those that are named with flashblocks; two projects. */
async function begin({ isRollup = true, count = 2, warm = true, withParts = [1] } = {}): Promise<Rig> {
  const chain = testChain(100, { isRollup })
  const nodes = await Promise.all(Array.from({ length: count }, (_, i) => startChainNode(chain, i)))
  nodes.forEach((node, i) => reportPending(node, chain, withParts.includes(i) ? { count: 1 } : undefined))
  const upstreams = nodes.map(({ url, ws }) => ({ url, ws, probe: true }))
  const networks = { mainnet: { kind: 'evm', chainId: 1, upstreams, followHeads: true } } as const
  const projects = [key, 'other-key'].map((own) => ({ name: own, keys: [{ key: own }] }))
  const gateway = await startTestGateway([], { networks, projects })
  onTestFinished(async () => {
    await gateway.close(0)
    for (const node of nodes) await node.close()
  })
  const ask: Rig['ask'] = async (method, params = [], of = key) =>
    JSON.parse((await send(gateway.rpc, `/v3/${of}`, { body: frame(method, params) })).body) as Answer
  if (warm) {
    const asked = async (): Promise<readonly boolean[]> => {
      await ask('eth_getBlockByNumber', ['pending', false])
      return nodes.map(({ calls }) => calls.includes('op_supportedCapabilities'))
    }
    await expect.poll(asked, { timeout: 10_000 }).toEqual(nodes.map(() => isRollup))
    // The answers have come once later ones have.
    for (let i = 0; i < 20; i++) await asked()
  }
  return { gateway, chain, nodes, ask }
}

describe('of two nodes, one with flashblocks', () => {
  it('pending never goes back, in blocks, balances and calls', async () => {
    const { ask } = await begin()
    const questions = [
      ['eth_getBalance', [account(1), 'pending']],
      ['eth_getBalance', [account(2), 'pending']],
      ['eth_call', [{ to: account(3) }, 'pending']],
    ] as const
    const reported = questions.map(() => 0)
    for (let i = 0; i < 60; i++) {
      expect((await ask('eth_getBlockByNumber', ['pending', false])).result?.number).toBe('0x65')
      const at = i % questions.length
      const [method, params] = questions[at]!
      const next = Number((await ask(method, params)).result)
      expect(next).toBeGreaterThan(reported[at]!)
      reported[at] = next
    }
  })

  it('receipts and transactions are those of the node that has them, each time, for every project', async () => {
    const { ask, nodes } = await begin()
    nodes[0]!.calls.length = 0
    for (let i = 0; i < 30; i++) {
      for (const of of [key, 'other-key']) {
        expect((await ask('eth_getTransactionReceipt', [hashOf(i)], of)).result).toMatchObject({ blockNumber: '0x65' })
        expect((await ask('eth_getTransactionByHash', [hashOf(i)], of)).result).toMatchObject({ hash: hashOf(i) })
      }
    }
    expect(nodes[0]!.calls.filter((method) => method.startsWith('eth_getTransaction'))).toEqual([])
  })

  it('a block that is not sealed is no head: others have the latest one at once', async () => {
    const { ask, chain } = await begin()
    for (let i = 0; i < 10; i++) {
      expect((await ask('eth_getTransactionReceipt', [hashOf(i)])).result).toMatchObject({ blockNumber: '0x65' })
      const latest = await ask('eth_getBlockByNumber', ['latest', false], 'other-key')
      expect([latest.error, latest.result?.number]).toEqual([undefined, '0x64'])
      expect((await ask('eth_getBalance', [account(i)], 'other-key')).error).toBeUndefined()
      expect((await ask('eth_blockNumber', [], 'other-key')).result).toBe('0x64')
    }
    // Once it is sealed, it is not taken back.
    chain.height = 101
    await expect.poll(async () => (await ask('eth_blockNumber', [], 'other-key')).result).toBe('0x65')
    for (let i = 0; i < 10; i++) expect((await ask('eth_blockNumber', [], 'other-key')).result).toBe('0x65')
  })

  it('a block that is not sealed is no head before it is known which node has them, too', async () => {
    const { ask, nodes } = await begin({ warm: false })
    const before = nodes[1]!.answer
    nodes[1]!.answer = (method, params) => (method === 'op_supportedCapabilities' ? 'hang' : before(method, params))
    await ask('eth_gasPrice')
    for (let i = 0; i < 10; i++) {
      await ask('eth_getTransactionReceipt', [hashOf(i)])
      expect((await ask('eth_getBlockByNumber', ['latest', false], 'other-key')).result?.number).toBe('0x64')
    }
  })

  it('newFlashblocks is subscribed to at that node', async () => {
    const { gateway, nodes } = await begin()
    for (let i = 0; i < 6; i++) {
      const socket = await openSocket(`${gateway.ws}/ws/v3/${i % 2 === 0 ? key : 'other-key'}`)
      socket.send(frame('eth_subscribe', ['newFlashblocks']))
      expect(await socket.next()).toMatchObject({ result: expect.any(String) })
      await until(() => nodes[1]!.subscribersOf('newFlashblocks') > 0)
      socket.close()
    }
    expect(nodes[0]!.subscribersOf('newFlashblocks')).toBe(0)
  })

  it('a subscription closes with 1013 once no node has flashblocks any more', { timeout: 30_000 }, async () => {
    const { gateway, nodes } = await begin()
    nodes[0]!.answer = refusing(nodes[0]!.answer)
    const socket = await openSocket(`${gateway.ws}/ws/v3/${key}`)
    socket.send(frame('eth_subscribe', ['newFlashblocks']))
    await socket.next()
    await until(() => nodes[1]!.subscribersOf('newFlashblocks') > 0)
    nodes[1]!.push('newFlashblocks', part(101, 0))
    await nodes[1]!.stop()
    await expect.poll(() => socket.closed, { timeout: 20_000 }).toMatchObject({ code: 1013 })
  })

  it('the other one is asked where that one is gone', async () => {
    const { ask, nodes } = await begin()
    await nodes[1]!.stop()
    await expect
      .poll(async () => (await ask('eth_getBlockByNumber', ['pending', false])).result?.number, { timeout: 10_000 })
      .toBe('0x64')
  })
})

describe('of three nodes, two with flashblocks', () => {
  it.each(['newFlashblocks', 'newFlashblockTransactions', 'pendingLogs'] as const)(
    '%s come once and in order for all callers when their node is lost',
    { timeout: 30_000 },
    async (kind) => {
      const { gateway, nodes, chain } = await begin({ count: 3, withParts: [1, 2] })
      const eventOf = { newFlashblocks: part, newFlashblockTransactions: nameOf, pendingLogs: logOf }[kind]
      const sealed = Array.from({ length: 6 }, (_, i) => [101, i] as const)
      for (const node of nodes) {
        const before = node.answer
        node.answer = (method, params) => {
          if (method === 'eth_getLogs' && kind === 'pendingLogs') return { result: sealed.map((at) => logOf(...at)) }
          if (method !== 'eth_getBlockByNumber' || kind !== 'newFlashblockTransactions' || params[0] !== 'pending')
            return node === nodes[0] ? refusing(before)(method, params) : before(method, params)
          return { result: { ...chain.block(101), transactions: sealed.map((at) => nameOf(...at)) } }
        }
      }
      const sockets = await Promise.all([key, 'other-key', key].map((own) => openSocket(`${gateway.ws}/ws/v3/${own}`)))
      for (const socket of sockets) {
        socket.send(frame('eth_subscribe', [kind]))
        await socket.next()
      }
      const openAt = (): number[] => nodes.map((node) => node.subscribersOf(kind))
      await until(() => openAt().some((count) => count > 0))
      expect(openAt().reduce((sum, count) => sum + count)).toBe(1)
      const node = nodes[openAt().indexOf(1)]!
      const other = nodes.find((one, i) => i > 0 && one !== node)!
      for (const i of [0, 1, 2]) node.push(kind, eventOf(101, i))
      const got = (socket: TestSocket): unknown[] =>
        socket.messages.slice(1).map((text) => (JSON.parse(text) as { params: { result: unknown } }).params.result)
      await until(() => sockets.every((socket) => got(socket).length === 3))
      await node.stop()
      await until(() => other.subscribersOf(kind) === 1)
      for (const i of [2, 3, 4, 5]) other.push(kind, eventOf(101, i))
      for (const i of [0, 1]) other.push(kind, eventOf(102, i))
      const all = [...sealed, [102, 0], [102, 1]].map(([number, i]) => eventOf(number!, i!))
      for (const socket of sockets) await expect.poll(() => got(socket), { timeout: 5_000 }).toEqual(all)
    },
  )
})

it('heads that nodes push while they build a block are none', async () => {
  const { gateway, ask, chain, nodes } = await begin({ withParts: [0, 1] })
  const socket = await openSocket(`${gateway.ws}/ws/v3/${key}`)
  socket.send(frame('eth_subscribe', ['newHeads']))
  await socket.next()
  await until(() => nodes.every(({ subscribers }) => subscribers > 0))
  const heads = (): string[] =>
    socket.messages
      .slice(1)
      .map((text) => (JSON.parse(text) as { params: { result: { hash: string } } }).params.result.hash)
  for (let number = 101; number <= 104; number++) {
    for (let i = 0; i < 10; i++) {
      const building = { ...chain.block(number), hash: hashOf(number * 1_000 + i) }
      for (const node of nodes) node.push('newHeads', building)
      const latest = await ask('eth_getBlockByNumber', ['latest', false], 'other-key')
      expect(latest.error).toBeUndefined()
      // The first few of all cannot be told from heads.
      if (number > 101) expect(Number(latest.result!.number)).toBeLessThan(number)
      await sleep(20)
    }
    chain.height = number
    for (const node of nodes) node.pushHead()
    await expect.poll(heads, { timeout: 5_000 }).toContain(chain.block(number).hash)
  }
  const sealed = [101, 102, 103, 104].map((number) => chain.block(number).hash)
  expect(heads()).toEqual(sealed)
})

it('of three nodes, each call that may see a block that is not sealed goes to the one with flashblocks', async () => {
  const { ask, nodes } = await begin({ count: 3 })
  for (const { calls } of nodes) calls.length = 0
  for (let i = 0; i < 30; i++) {
    await ask('eth_getBalance', [account(i), 'pending'])
    await ask('eth_getTransactionReceipt', [hashOf(i)])
    await ask('eth_sendRawTransaction', [`0x${i.toString(16).padStart(4, '0')}`])
  }
  const [first, , third] = nodes.map(({ calls }) => calls.filter((method) => /Balance|Receipt|send/.test(method)))
  expect([first, third]).toEqual([[], []])
})

it('nodes of another chain are not asked whether they have flashblocks, and a receipt of theirs is a head', async () => {
  const { ask, nodes, chain } = await begin({ isRollup: false })
  expect(nodes.flatMap(({ calls }) => calls)).not.toContain('op_supportedCapabilities')
  chain.height = 100
  let found: string | undefined
  while (found === undefined) found = (await ask('eth_getTransactionReceipt', [hashOf(1)])).result?.blockNumber
  expect(found).toBe('0x65')
  // A head that a caller was told is waited for.
  const latest = ask('eth_getBlockByNumber', ['latest', false])
  chain.height = 101
  expect((await latest).result?.number).toBe('0x65')
})
