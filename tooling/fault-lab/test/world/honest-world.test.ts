import { verifyAccountProof, verifyBlock, verifyReceipts } from '@wayleave/evm-verify'
import { describe, expect, test } from 'vitest'
import type { Plan, Question } from '../../src/plan.ts'
import { openLabGateway } from '../../src/world/gateway.ts'
import { createWorld, type World } from '../../src/world/world.ts'
import { ask, planWith, upstreamPlan } from './support.ts'

const questions: readonly Question[] = [
  { method: 'eth_chainId', params: [] },
  { method: 'eth_blockNumber', params: [] },
  { method: 'eth_getBlockByNumber', params: ['latest', false] },
  { method: 'eth_getBlockByNumber', params: ['$number:head-3', true] },
  { method: 'eth_getBlockByHash', params: ['$hash:head-4', false] },
  { method: 'eth_getBlockReceipts', params: ['$number:head-2'] },
  { method: 'eth_getTransactionReceipt', params: ['$mined:1'] },
  { method: 'eth_getTransactionByHash', params: ['$mined:2'] },
  { method: 'eth_getLogs', params: [{ fromBlock: '$number:head-5', toBlock: '$number:head-1', address: '$contract' }] },
  { method: 'eth_getBalance', params: ['$account:1', 'latest'] },
  { method: 'eth_getTransactionCount', params: ['$account:2', 'pending'] },
  { method: 'eth_getStorageAt', params: ['$contract', '0x0', 'latest'] },
  { method: 'eth_call', params: [{ to: '$contract', data: '0x20965255' }, 'latest'] },
]

interface Outcome {
  readonly method: string
  readonly level: string | undefined
  /** The error, or the reason why it is false. */
  readonly trouble: string | undefined
}

/** Asks every question several times through the gateway, and sends transactions. */
async function ran(plan: Plan): Promise<{ readonly world: World; readonly outcomes: readonly Outcome[] }> {
  const world = createWorld(plan)
  const gateway = await openLabGateway(world)
  const outcomes: Outcome[] = []
  for (let i = 0; i < 60; i++) {
    world.clock.after(3_000 + i * 500, () => {
      const at = world.clock.now()
      const sent = { method: 'eth_sendRawTransaction', params: [`$raw:${i}`] }
      const question = world.resolve(i % 15 === 14 ? sent : questions[i % questions.length]!)
      const context = gateway.contextOf('p', at + 10_000)
      const body = new TextEncoder().encode(JSON.stringify({ jsonrpc: '2.0', id: 1, ...question }))
      void gateway.network.server(body, context).then((reply) => {
        const { result, error } = JSON.parse(String(reply.body)) as {
          readonly result: unknown
          readonly error?: object
        }
        context.release()
        const trouble =
          error === undefined
            ? world.truth.judge(question, result, at, world.clock.now())?.why
            : `error ${JSON.stringify(error)}`
        outcomes.push({ method: question.method, level: undefined, trouble })
      })
    })
  }
  await world.clock.runUntil(45_000)
  let isClosed = false
  void gateway.close().then(() => {
    isClosed = true
  })
  await world.clock.runUntil(50_000, () => isClosed)
  expect([isClosed, gateway.timers, gateway.heldBytes, world.exchanges, world.sockets]).toEqual([true, 0, 0, 0, 0])
  return { world, outcomes }
}

const three = [
  upstreamPlan('node-0'),
  upstreamPlan('node-1', { transport: 'both', client: 'reth' }),
  upstreamPlan('node-2', { transport: 'socket', client: 'besu' }),
]

test('an honest world answers everything right through the gateway under `proven`, and keeps nothing', async () => {
  const { world, outcomes } = await ran(
    planWith({ verify: 'proven', upstreams: three, reorgs: [{ at: 20_000, depth: 3 }] }),
  )
  expect(outcomes).toHaveLength(60)
  expect(outcomes.filter(({ trouble }) => trouble !== undefined)).toEqual([])
  const refuted = world.journal.entries.filter(({ who, text }) => who === 'gateway' && text.includes('does not verify'))
  expect(refuted).toEqual([])
  expect(world.truth.sendings.length).toBeGreaterThanOrEqual(4)
  expect(
    world.truth.sendings.every(({ hash, answeredAt }) => answeredAt !== undefined && world.truth.wasMined(hash)),
  ).toBe(true)
})

test('the same plan twice gives the same journal, and another seed another one', async () => {
  const plan = planWith({
    verify: 'consistent',
    upstreams: three,
    reorgs: [{ at: 12_000, depth: 9 }],
    faults: [
      { upstream: 'node-0', kind: 'garble', at: 4_000, forMs: 9_000, rate: 0.3 },
      { upstream: 'node-1', kind: 'flap', at: 8_000, forMs: 9_000, amount: 700 },
      { upstream: 'node-2', kind: 'drop_socket', at: 15_000, forMs: 9_000 },
    ],
  })
  const [first, again, other] = [await ran(plan), await ran(plan), await ran({ ...plan, seed: 8 })]
  expect(again.world.journal.entries).toEqual(first.world.journal.entries)
  expect(other.world.journal.entries).not.toEqual(first.world.journal.entries)
})

describe('blocks are true', () => {
  async function grown(): Promise<World> {
    const world = createWorld(planWith({ reorgs: [{ at: 9_000, depth: 64 }] }))
    await world.clock.runUntil(20_500)
    return world
  }

  test('their hashes, roots, receipts and state verify, also after a reorganisation of 64 blocks', async () => {
    const world = await grown()
    for (const depth of [0, 1, 2, 3, 40, 64, 65]) {
      const block = await ask(world, { method: 'eth_getBlockByNumber', params: [`$number:head-${depth}`, true] })
      expect(verifyBlock(block as never)).toMatchObject({ ok: true })
      const receipts = await ask(world, { method: 'eth_getBlockReceipts', params: [`$number:head-${depth}`] })
      expect(verifyReceipts(receipts, { block: block as never })).toMatchObject({ ok: true, level: 'proven' })
      const { stateRoot } = block as { readonly stateRoot: `0x${string}` }
      for (const account of ['$contract', '$account:1', '$account:c5']) {
        const proof = await ask(world, {
          method: 'eth_getProof',
          params: [account, ['0x0', '0x1'], `$number:head-${depth}`],
        })
        expect(verifyAccountProof(proof, { stateRoot })).toMatchObject({ ok: true, level: 'proven' })
      }
    }
  })

  test('a reorganisation removes as many blocks as it says, and the old ones stay known', async () => {
    const world = createWorld(planWith({ reorgs: [{ at: 9_000, depth: 5 }] }))
    await world.clock.runUntil(8_999)
    const { head: old } = world.chain
    await world.clock.runUntil(9_001)
    const { head } = world.chain
    expect(head.number).toBe(old.number + 1)
    let [below, above]: [typeof old, typeof old] = [head.parent!, old]
    let depth = 0
    for (; below !== above; depth++) [below, above] = [below.parent!, above.parent!]
    expect(depth).toBe(5)
    expect(world.chain.byHash(old.hash)).toBe(old)
  })
})

describe('the truth', () => {
  const question: Question = { method: 'eth_getBalance', params: ['$account:1', 'latest'] }

  test('tells a false result from a true one, and one that was true long ago', async () => {
    const world = createWorld(planWith())
    const asked = world.resolve(question)
    await world.clock.runUntil(1_000)
    const early = await ask(world, question)
    await world.clock.runUntil(40_000)
    const late = await ask(world, question)
    const { judge } = world.truth
    const now = world.clock.now()
    expect(late).not.toBe(early)
    expect(judge(asked, late, now - 100, now)).toBeUndefined()
    expect(judge(asked, early, now - 100, now)?.staleMs).toBeGreaterThan(15_000)
    expect(judge(asked, '0x7', now - 100, now)).toMatchObject({
      isStrange: false,
      why: expect.stringContaining('"0x7"'),
    })
  })

  test('a block that a reorganisation removed was true until then, and by its hash it is for ever', async () => {
    const world = createWorld(planWith({ reorgs: [{ at: 9_000, depth: 2 }] }))
    await world.clock.runUntil(8_999)
    const byNumber = world.resolve({ method: 'eth_getBlockByNumber', params: ['$number:head', false] })
    const byHash = world.resolve({ method: 'eth_getBlockByHash', params: ['$hash:head', false] })
    const old = await ask(world, byNumber)
    await world.clock.runUntil(30_000)
    expect(world.truth.judge(byNumber, old, 8_000, 8_999)).toBeUndefined()
    expect(world.truth.judge(byNumber, old, 29_000, 30_000)?.staleMs).toBeGreaterThan(19_000)
    expect(world.truth.judge(byHash, old, 29_000, 30_000)).toBeUndefined()
    expect(world.truth.reorgs).toEqual([9_000])
  })
})
