import { isDeepStrictEqual } from 'node:util'
import { describe, expect, test } from 'vitest'
import { createContext, rawJsonFromValue, type RpcResult } from '@wayleave/jsonrpc-core'
import { type FaultKind, faultKinds, nodeClients, type Question } from '../../src/plan.ts'
import { lies } from '../../src/world/lies.ts'
import { wordsOf } from '../../src/world/words.ts'
import { createWorld, type World } from '../../src/world/world.ts'
import { ask, failingWorld, planWith, settle, socketOf, upstreamPlan } from './support.ts'

const head: Question = { method: 'eth_blockNumber', params: [] }
const block: Question = { method: 'eth_getBlockByNumber', params: ['latest', false] }
const tested = new Set<FaultKind>()

/** Asks at 10 s, while the fault lasts. */
async function during(
  kind: FaultKind,
  more: object = {},
  question: Question = block,
  plan: object = {},
): Promise<unknown> {
  tested.add(kind)
  const world = failingWorld({ kind, ...more }, plan)
  await world.clock.runUntil(10_000)
  return ask(world, question)
}

const heightOf = (answer: unknown): number => Number((answer as { readonly number: string }).number)

describe('a fault at the HTTP port', () => {
  test.each<[kind: FaultKind, more: object, answer: unknown]>([
    ['crash', {}, { failed: 'connect' }],
    ['hang', {}, { failed: 'timeout' }],
    ['truncate', { variant: 0 }, { failed: 'disconnected' }],
    ['truncate', { variant: 1 }, { failed: 'invalid_response' }],
    ['garble', {}, { failed: 'invalid_response' }],
    ['stall_mid_body', {}, { failed: 'timeout' }],
    ['rate_limit', { variant: 0 }, { failed: 'http_status', status: 429 }],
    ['rate_limit', { variant: 1 }, { failed: 'http_status', status: 429 }],
    ['rate_limit', { variant: 2 }, { error: -32005, message: 'too many requests' }],
    ['rate_limit', { variant: 3 }, { failed: 'http_status', status: 429 }],
    ['empty', { variant: 0 }, null],
    ['empty', { variant: 1 }, []],
    ['empty', { variant: 2 }, { failed: 'invalid_response' }],
    ['empty', { variant: 3 }, { failed: 'invalid_response' }],
    ['bad_gateway', { variant: 0 }, { failed: 'http_status', status: 502 }],
    ['bad_gateway', { variant: 2 }, { failed: 'http_status', status: 504 }],
    ['error_words', { variant: 0 }, { error: -32603, message: 'internal error' }],
    ['error_words', { variant: 3 }, { error: -32000, message: 'header not found' }],
    ['late', { amount: 4_000 }, { failed: 'timeout' }],
  ])('%s %o', async (kind, more, answer) => {
    expect(await during(kind, more)).toEqual(answer)
  })

  test('is over when it is over', async () => {
    const world = failingWorld({ kind: 'crash' })
    expect(await ask(world, head)).toBe('0xc8')
    await world.clock.runUntil(24_900)
    expect(await ask(world, head)).toEqual({ failed: 'connect' })
    await world.clock.runUntil(25_100)
    expect(await ask(world, head)).toBe('0xd4')
  })

  test('a crash breaks what is on its way', async () => {
    const world = failingWorld({ kind: 'crash' }, { upstreams: [upstreamPlan('node-0', { latencyMs: 400 })] })
    await world.clock.runUntil(4_900)
    expect(await ask(world, head)).toEqual({ failed: 'disconnected' })
    expect(world.exchanges).toBe(0)
  })

  test('flapping comes and goes', async () => {
    tested.add('flap')
    const world = failingWorld({ kind: 'flap', amount: 500 })
    const seen: unknown[] = []
    for (const at of [5_100, 5_600, 6_100, 6_600]) {
      await world.clock.runUntil(at)
      seen.push(await ask(world, head))
    }
    expect(seen).toEqual([{ failed: 'connect' }, '0xca', { failed: 'connect' }, '0xcb'])
  })

  test('a rate names the part of calls that it meets', async () => {
    const world = failingWorld({ kind: 'empty', rate: 0.3, variant: 0 })
    await world.clock.runUntil(6_000)
    let empty = 0
    for (let i = 0; i < 200; i++) if ((await ask(world, head)) === null) empty++
    expect(empty).toBeGreaterThan(35)
    expect(empty).toBeLessThan(85)
  })
})

describe('a fault of the chain', () => {
  test('lag: the head is so many blocks behind', async () => {
    expect(heightOf(await during('lag', { amount: 3 }))).toBe(200 + 4 - 3)
  })

  test('freeze: the head stands still', async () => {
    expect(heightOf(await during('freeze'))).toBe(200 + 2)
  })

  test('restart_old: it starts so far below, and catches up', async () => {
    tested.add('restart_old')
    const world = failingWorld({ kind: 'restart_old', amount: 20 })
    await world.clock.runUntil(5_010)
    const seen = [heightOf(await ask(world, block))]
    await world.clock.runUntil(5_500)
    seen.push(heightOf(await ask(world, block)))
    await world.clock.runUntil(9_900)
    seen.push(heightOf(await ask(world, block)))
    expect(seen[0]).toBeLessThan(185)
    expect(seen[1]).toBeGreaterThan(seen[0]! + 5)
    expect(seen[1]).toBeLessThan(200)
    expect(seen[2]).toBe(204)
  })

  test('other_chain: other blocks, and another id where it tells', async () => {
    const chainId: Question = { method: 'eth_chainId', params: [] }
    expect([
      await during('other_chain', { variant: 0 }, chainId),
      await during('other_chain', { variant: 1 }, chainId),
    ]).toEqual(['0x5', '0x1'])
    const world = failingWorld({ kind: 'other_chain', variant: 1 })
    await world.clock.runUntil(10_000)
    expect(world.truth.judge(block, await ask(world, block), 9_000, world.clock.now())).toMatchObject({
      isStrange: true,
    })
  })

  test('forge: blocks of its own with true hashes, from so many below the head', async () => {
    tested.add('forge')
    const world = failingWorld({ kind: 'forge', amount: 3 })
    await world.clock.runUntil(10_000)
    const answers = await Promise.resolve(ask(world, block))
    const { hash, parentHash } = answers as { readonly hash: string; readonly parentHash: string }
    expect(world.chain.byHash(hash)).toBeUndefined()
    expect(await ask(world, { method: 'eth_getBlockByHash', params: [parentHash, false] })).toMatchObject({
      hash: parentHash,
    })
    expect(world.truth.judge(block, answers, 9_000, world.clock.now())).toMatchObject({ isStrange: false })
  })

  test('prune: state or blocks are gone below', async () => {
    const balance: Question = { method: 'eth_getBalance', params: ['$account:0', '$number:head-9'] }
    const old: Question = { method: 'eth_getBlockByNumber', params: ['$number:head-9', false] }
    const missing = { error: -32000, message: expect.stringContaining('missing trie node') }
    expect(await during('prune', { amount: 4, variant: 0 }, balance)).toEqual(missing)
    expect(heightOf(await during('prune', { amount: 4, variant: 0 }, old))).toBe(196)
    expect(await during('prune', { amount: 4, variant: 1 }, old)).toEqual({
      error: 4444,
      message: 'pruned history unavailable',
    })
    const upstreams = [upstreamPlan('node-0', { client: 'erigon' })]
    expect(await during('prune', { amount: 4, variant: 1 }, old, { upstreams })).toBeNull()
  })

  const ofPushes = lies.filter(({ methods }) => methods.test('eth_subscription newHeads'))
  test.each(ofPushes.map((lie) => [lie.name, lies.indexOf(lie)] as const))('lie in a push: %s', async (_, variant) => {
    const world = failingWorld({ kind: 'lie', variant })
    const heads: { hash: string }[] = []
    const push = (reported: unknown): void => void heads.push(reported as { hash: string })
    world.nodes.get('node-0')!.subscribe('newHeads', undefined, push)
    await world.clock.runUntil(7_000)
    const isTrue = heads.map((reported) => isDeepStrictEqual(reported, world.chain.byHash(reported.hash)?.header))
    expect(isTrue).toEqual([true, true, false])
  })

  const ofAnswers = lies.flatMap((lie, variant) => (ofPushes.includes(lie) ? [] : [[lie.name, variant] as const]))
  test.each(ofAnswers)('lie: %s', async (_, variant) => {
    tested.add('lie')
    const world = failingWorld({ kind: 'lie', variant })
    await world.clock.runUntil(20_000)
    const questions: readonly Question[] = [
      head,
      { method: 'eth_getBlockByNumber', params: ['0xc9', true] },
      { method: 'eth_getTransactionByHash', params: ['$mined:0'] },
      { method: 'eth_getTransactionReceipt', params: ['$mined:1'] },
      { method: 'eth_getTransactionReceipt', params: ['$mined:2'] },
      { method: 'eth_getBlockReceipts', params: ['0xc9'] },
      { method: 'eth_getLogs', params: [{ fromBlock: '0xc0', toBlock: '0xc9' }] },
      { method: 'eth_getLogs', params: [{ blockHash: '$hash:202' }] },
      { method: 'eth_getBalance', params: ['$account:1', 'latest'] },
      { method: 'eth_getTransactionCount', params: ['$account:1', 'latest'] },
      { method: 'eth_call', params: [{ to: '$contract', data: '0x' }, 'latest'] },
    ]
    const judged: boolean[] = []
    for (const question of questions) {
      const at = world.clock.now()
      const asked = world.resolve(question)
      judged.push(world.truth.judge(asked, await ask(world, asked), at, world.clock.now()) !== undefined)
    }
    // It lies where it says, and elsewhere not.
    expect(judged.filter(Boolean).length).toBeGreaterThanOrEqual(1)
    expect(judged.filter(Boolean).length).toBeLessThanOrEqual(4)
  })
})

describe('a fault of sending', () => {
  const send: Question = { method: 'eth_sendRawTransaction', params: ['$raw:3'] }
  const [hash] = createWorld(planWith()).resolve({ method: '', params: ['$tx:3'] }).params as [string]

  test.each<[kind: FaultKind, answer: unknown]>([
    ['accept_then_reset', { failed: 'disconnected' }],
    ['accept_then_hang', { failed: 'timeout' }],
    ['already_known', { error: -32000, message: 'already known' }],
  ])('%s: the transaction is mined all the same', async (kind, answer) => {
    tested.add(kind)
    const world = failingWorld({ kind })
    await world.clock.runUntil(10_000)
    expect(await ask(world, send)).toEqual(answer)
    await world.clock.runUntil(20_000)
    expect(world.truth.wasMined(hash)).toBe(true)
    expect(world.truth.sendings).toMatchObject([{ upstream: 'node-0', hash, isAccepted: true }])
  })

  test('without one, it is taken once, known then, and too late when it was mined', async () => {
    const world = createWorld(
      planWith({ upstreams: [upstreamPlan('node-0'), upstreamPlan('node-1', { client: 'besu' })] }),
    )
    expect(await ask(world, send)).toBe(hash)
    expect(await ask(world, send)).toEqual({ error: -32000, message: 'already known' })
    await world.clock.runUntil(1_000)
    expect(await ask(world, send, 'node-1')).toEqual({ error: -32000, message: 'Known transaction' })
    await world.clock.runUntil(5_000)
    expect(await ask(world, send, 'node-1')).toEqual({ error: -32001, message: 'Nonce too low' })
    expect(await ask(world, { method: 'eth_getTransactionReceipt', params: [hash] })).toMatchObject({ status: '0x1' })
    expect(world.truth.sendings.map(({ isAccepted }) => isAccepted)).toEqual([true, false, false, false])
  })
})

describe('a fault of a WebSocket', () => {
  interface Watched {
    readonly world: World
    readonly events: readonly unknown[]
    readonly ended: () => boolean
  }

  /** Subscribes to heads before the fault, and watches until it has lasted for ten blocks. */
  async function watched(kind: FaultKind, more: object = {}): Promise<Watched> {
    tested.add(kind)
    const upstreams = [upstreamPlan('node-0', { transport: 'both', blockDelayMs: 10 })]
    const world = failingWorld({ kind, forMs: 5_000, ...more } as never, { upstreams, blockMs: 250 })
    const events: unknown[] = []
    let hasEnded = false
    const transport = socketOf(world)
    await settle(world, transport.handler, head)
    const request = { method: 'eth_subscribe', params: rawJsonFromValue(['newHeads']), notification: false }
    void transport.handler(request, createContext({ clock: world.clock })).then((response) =>
      (response as RpcResult).subscription!.open({
        event: (_, result) => (events.push((result.value() as { readonly number: string }).number), true),
        gap() {},
        end() {
          hasEnded = true
        },
      }),
    )
    await world.clock.runUntil(9_900)
    return { world, events: events.map(Number), ended: () => hasEnded }
  }

  const inOrder = (events: readonly unknown[]): boolean =>
    events.every((each, i) => i === 0 || Number(each) >= Number(events[i - 1]))

  test('without one, each head comes once and in order', async () => {
    const { events } = await watched('late', { rate: 0 })
    expect(events.length).toBeGreaterThan(35)
    expect(events).toEqual(events.map((_, i) => Number(events[0]) + i))
  })

  test('drop_socket: the connection breaks, and the subscription ends', async () => {
    const { ended } = await watched('drop_socket')
    expect(ended()).toBe(true)
  })

  test('duplicate_push: heads come twice', async () => {
    const { events } = await watched('duplicate_push')
    expect(new Set(events).size).toBeLessThan(events.length - 10)
    expect(inOrder(events)).toBe(true)
  })

  test('shuffle_push: heads come in another order', async () => {
    const { events } = await watched('shuffle_push')
    expect(inOrder(events)).toBe(false)
  })

  test('mute_push: no heads come, while calls are answered', async () => {
    const { events, world } = await watched('mute_push')
    expect(Number(events.at(-1))).toBeLessThan(222)
    expect(Number(await ask(world, head))).toBeGreaterThan(235)
  })

  test('truncate: a message that is cut short is no JSON, and ends the connection', async () => {
    const { ended } = await watched('truncate', { variant: 1 })
    expect(ended()).toBe(true)
  })
})

test('the errors of each client are what the gateway takes them for', async () => {
  const { classifyNodeError } = await import('@wayleave/evm-types')
  for (const client of nodeClients) {
    const words = wordsOf(client)
    const kinds = [words.alreadyKnown(), words.nonceTooLow(), words.unknownBlock('0xabc'), words.prunedState('12')].map(
      classifyNodeError,
    )
    expect([client, ...kinds]).toEqual([client, 'already_known', 'nonce_too_low', 'unknown_block', 'state_unavailable'])
    expect([client, classifyNodeError(words.rangeTooLarge(1_000))]).toEqual([client, 'range_too_large'])
    expect(['rate_limited', 'quota_exceeded', 'limit_exceeded']).toContain(classifyNodeError(words.rateLimited()))
    expect([client, classifyNodeError(words.missingMethod('eth_x'))]).toEqual([client, 'method_not_found'])
  }
})

test('each kind of fault has been seen', () => {
  expect(faultKinds.filter((kind) => !tested.has(kind))).toEqual([])
})
