import { coalesce, createContext, rawJsonFromValue, RpcError, type RpcHandler } from '@wayleave/jsonrpc-core'
import { FakeClock } from '@wayleave/jsonrpc-core/testing'
import {
  type CallSlotsOptions,
  createCallSlots,
  createCandidate,
  createPool,
  createSelection,
  createUpstreamHealth,
  type Endpoint,
} from '@wayleave/upstream'
import { describe, expect, it } from 'vitest'
import { call, rejectionOf, resultOf } from './support.ts'

const settled = (): Promise<void> => new Promise((resolve) => void setTimeout(resolve, 0))

/** Asks endpoints in their order. */
const selectionOf = (endpoints: readonly Endpoint[], slots: number) =>
  createSelection({
    candidates: endpoints.map((endpoint) =>
      createCandidate({ endpoint, health: createUpstreamHealth({ name: endpoint.name }), slots }),
    ),
    random: () => 0,
    order: (eligible) => eligible,
  })

/** Endpoints whose calls hang until the test lets them go; named a, b. */
function scene(endpoints: number, options: Partial<CallSlotsOptions> = {}) {
  const clock = new FakeClock()
  const asked: string[] = []
  const held: { readonly name: string; readonly of: string; answer(text?: string): void; cancelled: boolean }[] = []
  const all = Array.from({ length: endpoints }, (_, i): Endpoint => {
    const name = 'ab'[i]!
    return {
      name,
      carriesSubscriptions: false,
      handler: ({ method }, context) =>
        new Promise((resolve, reject) => {
          asked.push(`${name} ${method}`)
          const answer = (text = name): void => resolve({ result: rawJsonFromValue(text) })
          const one = { name, of: method, answer, cancelled: false }
          held.push(one)
          context.onCancel((why) => {
            one.cancelled = true
            reject(why)
          })
        }),
    }
  })
  const slots = createCallSlots({ clock, perEndpoint: 40, ...options })
  const pool = createPool({
    selection: selectionOf(all, slots.perEndpoint),
    clock,
    slots,
    isRepeatable: ({ method }) => !method.startsWith('write'),
    opensSubscription: () => false,
  })
  const ask = (tenant: string | undefined, method = 'read', handler: RpcHandler = pool) =>
    handler(call(method), createContext({ clock, timeoutMs: 30_000, tenant }))
  const hang = (tenant: string, count: number, method = 'read'): void => {
    for (let i = 0; i < count; i++) void ask(tenant, method).catch(() => {})
  }
  /** Has short answers come for a project, so that its next calls count as one slot each. */
  const introduce = async (tenant: string): Promise<void> => {
    for (let i = 0; i < 25; i++) {
      const answer = ask(tenant)
      held.pop()!.answer()
      await answer
    }
    asked.length = 0
  }
  return { clock, slots, pool, asked, held, ask, hang, introduce }
}

describe('the slots of an endpoint', () => {
  it('leave room for another project, for writes and for the host, whatever one project does', async () => {
    const { asked, slots, ask, hang } = scene(1)
    hang('greedy', 500)
    hang('greedy', 500, 'write')
    await settled()
    expect(asked.length).toBeLessThan(40)
    expect(slots.waiting).toBe(1_000 - asked.length)
    for (const [tenant, method] of [
      ['good', 'read'],
      ['good', 'write'],
      [undefined, 'probe'],
    ] as const) {
      const before = asked.length
      void ask(tenant, method).catch(() => {})
      await settled()
      expect(asked.slice(before)).toEqual([`a ${method}`])
    }
  })

  it('are nine tenths for a project alone', async () => {
    const { asked, hang, introduce } = scene(1, { perEndpoint: 160 })
    await introduce('alone')
    hang('alone', 500)
    await settled()
    expect(asked.length).toBe(137)
    hang('alone', 500, 'write')
    await settled()
    expect(asked.length).toBe(141)
  })

  it('go in turns to the projects that wait', async () => {
    const { asked, held, hang } = scene(1, { perEndpoint: 2 })
    hang('first', 2)
    await settled()
    expect(held).toHaveLength(2)
    hang('a', 3, 'of-a')
    hang('b', 3, 'of-b')
    for (let i = 0; i < 6; i++) {
      held[i]!.answer()
      await settled()
    }
    expect(asked.slice(2)).toEqual(['a of-a', 'a of-b', 'a of-a', 'a of-b', 'a of-a', 'a of-b'])
  })

  it('that are taken mean that the next endpoint is asked at once', async () => {
    const { asked, ask, hang } = scene(2, { perEndpoint: 4 })
    hang('greedy', 4)
    await settled()
    const before = asked.length
    void ask('good').catch(() => {})
    void ask('good', 'write').catch(() => {})
    await settled()
    expect(asked.slice(before)).toEqual(['b read', 'b write'])
  })

  it('are waited for at all endpoints: the first one free answers', async () => {
    const { asked, held, ask, hang } = scene(2, { perEndpoint: 1 })
    hang('greedy', 2)
    await settled()
    const answer = ask('good')
    await settled()
    expect(asked).toHaveLength(2)
    held.find(({ name }) => name === 'b')!.answer()
    await settled()
    held.at(-1)!.answer()
    expect(resultOf(await answer)).toBe('b')
  })

  it('come back after an answer, a failure and a call that was given up', async () => {
    const { slots, clock, held, ask, asked } = scene(1, { perEndpoint: 1 })
    const first = ask('a')
    held[0]!.answer()
    await first
    const context = createContext({ clock, timeoutMs: 30_000, tenant: 'a' })
    const second = rejectionOf(ask('a'))
    clock.advance(30_000)
    expect(await second).toMatchObject({ code: 'timeout' })
    context.release()
    void ask('b').catch(() => {})
    await settled()
    expect(asked).toHaveLength(3)
    expect(slots.waiting).toBe(0)
  })
})

describe('a call that waits', () => {
  it('is refused after its time, as one that was not sent', async () => {
    const refused: (string | undefined)[] = []
    const waits: number[] = []
    const { clock, ask, hang, slots } = scene(1, {
      perEndpoint: 1,
      maxWaitMs: 700,
      onRefused: (tenant) => void refused.push(tenant),
      onWaited: (ms) => void waits.push(ms),
    })
    hang('greedy', 1)
    await settled()
    const why = rejectionOf(ask('good'))
    await settled()
    clock.advance(700)
    expect(await why).toMatchObject({ code: 'overloaded', delivery: 'not_sent' })
    expect(refused).toEqual(['good'])
    expect(waits).toEqual([700])
    expect(slots.waiting).toBe(0)
  })

  it('is refused at once where too many wait', async () => {
    const { ask, hang } = scene(1, { perEndpoint: 1, maxWaiting: 2 })
    hang('greedy', 3)
    await settled()
    expect(await rejectionOf(ask('good'))).toMatchObject({ code: 'overloaded', delivery: 'not_sent' })
  })

  it('leaves the queue when its caller leaves', async () => {
    const { clock, pool, asked, held, hang, slots } = scene(1, { perEndpoint: 1 })
    hang('greedy', 1)
    const context = createContext({ clock, timeoutMs: 30_000, tenant: 'good' })
    const why = rejectionOf(pool(call('read'), context))
    await settled()
    context.cancel(new RpcError('aborted', 'the caller left'))
    expect(await why).toMatchObject({ code: 'aborted' })
    expect(slots.waiting).toBe(0)
    held[0]!.answer()
    await settled()
    expect(asked).toHaveLength(1)
  })

  it('goes under the best-placed of those who wait for the same answer', async () => {
    const { clock, pool, asked, held, hang, ask } = scene(1, { perEndpoint: 1 })
    const shared = coalesce({ clock, key: ({ method }) => method })(pool)
    hang('greedy', 1)
    hang('greedy', 50, 'queued')
    void ask('greedy', 'head', shared).catch(() => {})
    await settled()
    // Alone, the greedy project's question would be the last of 51.
    void ask('good', 'head', shared).catch(() => {})
    held[0]!.answer()
    await settled()
    held[1]!.answer()
    await settled()
    expect(asked.slice(1, 3)).toContain('a head')
    expect(asked.filter((one) => one === 'a head')).toHaveLength(1)
  })
})

describe('a stream', () => {
  it('holds its slot until it has ended, and no longer', async () => {
    const clock = new FakeClock()
    let cancelled = 0
    const endpoint: Endpoint = {
      name: 'a',
      carriesSubscriptions: false,
      handler: async () => ({
        result: {
          streaming: true,
          cancel: () => void cancelled++,
          async *[Symbol.asyncIterator]() {
            yield new Uint8Array([0x31])
            yield new Uint8Array([0x32])
          },
        },
      }),
    }
    const slots = createCallSlots({ clock, perEndpoint: 1 })
    const pool = createPool({
      selection: selectionOf([endpoint], slots.perEndpoint),
      clock,
      slots,
      isRepeatable: () => true,
      opensSubscription: () => false,
    })
    const open = async () => {
      const context = createContext({ clock, timeoutMs: 30_000, tenant: 'a', acceptStream: true })
      const { result } = await pool(call('read'), context)
      if (result === undefined || !('streaming' in result)) throw new Error('a stream was expected')
      return { context, result }
    }
    const isFree = async (): Promise<boolean> => {
      const waits = open()
      await settled()
      const free = slots.waiting === 0
      void waits.then(({ result }) => result.cancel())
      return free
    }
    const read = await open()
    expect(slots.waiting).toBe(0)
    const pending = open()
    await settled()
    expect(slots.waiting).toBe(1)
    for await (const part of read.result) expect(part).toHaveLength(1)
    const second = await pending
    const reader = second.result[Symbol.asyncIterator]()
    await reader.next()
    await reader.return?.()
    expect(await isFree()).toBe(true)
    const third = await open()
    third.result.cancel()
    expect(cancelled).toBeGreaterThan(0)
    const fourth = await open()
    fourth.context.cancel(new RpcError('aborted', 'the caller left'))
    expect(await isFree()).toBe(true)
  })
})

describe('thousands of calls that waited too long together', () => {
  it('are refused a few at once, all of them soon', async () => {
    const { clock, ask, hang, slots } = scene(1, { perEndpoint: 1, maxWaitMs: 100 })
    hang('greedy', 1)
    await settled()
    let refused = 0
    for (let i = 0; i < 100; i++) void ask('greedy').catch(() => refused++)
    await settled()
    clock.advance(100)
    await settled()
    expect(refused).toBe(32)
    for (let i = 0; i < 3; i++) clock.advance(1)
    await settled()
    expect(refused).toBe(100)
    expect(slots.waiting).toBe(0)
  })
})

it('a call that somebody joins waits as long as it would for him alone', async () => {
  const { clock, pool, hang, ask } = scene(1, { perEndpoint: 1, maxWaitMs: 1_000 })
  const shared = coalesce({ clock, key: ({ method }) => method })(pool)
  hang('greedy', 1)
  await settled()
  const first = rejectionOf(ask('greedy', 'head', shared))
  await settled()
  clock.advance(950)
  let isRefused = false
  const second = rejectionOf(ask('good', 'head', shared)).finally(() => (isRefused = true))
  await settled()
  clock.advance(900)
  await settled()
  expect(isRefused).toBe(false)
  clock.advance(100)
  expect(await second).toMatchObject({ code: 'overloaded' })
  expect(await first).toMatchObject({ code: 'overloaded' })
})

it('counts the whole time that a call waited, also one that somebody joined', async () => {
  const waits: number[] = []
  const { clock, held, ask, hang, pool } = scene(1, { perEndpoint: 1, onWaited: (ms) => waits.push(ms) })
  hang('greedy', 1)
  await settled()
  const shared = coalesce({ clock, key: ({ method }) => method })(pool)
  const first = ask('greedy', 'shared', shared)
  clock.advance(1_000)
  const second = ask('good', 'shared', shared)
  clock.advance(1_000)
  held[0]!.answer()
  await settled()
  held[1]!.answer()
  await Promise.all([first, second])
  expect(waits).toEqual([2_000])
})

it('a write goes before a read of its project that waits, where only a slot that is kept for writes is free', async () => {
  const { asked, held, hang } = scene(1)
  // 40 slots: the last two are not for reads, the last one is the host's.
  for (let i = 0; i < 40; i++) hang(`reader ${i}`, 1)
  hang('writer', 1, 'write one')
  hang('late', 1, 'read of late')
  hang('late', 1, 'write of late')
  await settled()
  expect(asked).toHaveLength(39)
  expect(asked.at(-1)).toBe('a write one')
  held.find(({ of }) => of === 'write one')!.answer()
  await settled()
  expect(asked.at(-1)).toBe('a write of late')
})

it('calls of a project whose answers are long count as several, and all of them go at last', async () => {
  const { slots, held, hang, asked, introduce } = scene(1, { perEndpoint: 160 })
  await introduce('a')
  hang('a', 300)
  await settled()
  const short = asked.length
  for (let i = 0; asked.length < 300; i++) {
    for (const each of held.splice(0)) each.answer('x'.repeat(1_000_000))
    await settled()
    // 1 MB is eight slots: 18 of them are nine tenths of the slots.
    if (i > 1 && slots.waiting > 0) expect(held.length).toBeLessThanOrEqual(18)
  }
  expect(short).toBe(137)
})

it('the first calls of a project that nobody knows count as several, but not its writes', async () => {
  const { hang, asked } = scene(1, { perEndpoint: 160 })
  hang('new', 100)
  await settled()
  expect(asked).toHaveLength(29)

  const writer = scene(1, { perEndpoint: 160 })
  writer.hang('new', 100, 'write')
  await settled()
  expect(writer.asked).toHaveLength(100)
})
