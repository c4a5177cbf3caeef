import {
  createContext,
  rawJsonFromText,
  rawJsonFromValue,
  RpcError,
  type RpcHandler,
  type RpcSink,
} from '@wayleave/jsonrpc-core'
import { FakeClock } from '@wayleave/jsonrpc-core/testing'
import { createPendingTransactions, type PendingReaders, type PendingTransactionsOptions } from '@wayleave/evm-events'
import { expect, test } from 'vitest'

/** A node that pushes, and one process that asks it. */
function scene(options: Partial<PendingTransactionsOptions> = {}) {
  const clock = new FakeClock()
  const asked: unknown[] = []
  const sinks = new Set<RpcSink>()
  const node: RpcHandler = async ({ params }) => {
    asked.push(params!.value())
    return {
      result: rawJsonFromText('"0x1"'),
      subscription: { id: '0x1', open: (sink) => (sinks.add(sink), () => void sinks.delete(sink)) },
    }
  }
  let ids = 0
  const start = () => createPendingTransactions({ ask: node, clock, newId: () => `ring-${++ids}`, ...options })
  let pending = start()
  async function after(cursor: string | undefined, full = false, tenant = 'one') {
    const context = createContext({ clock, tenant })
    const { result, cursor: next } = await pending.changes(cursor, full, context).finally(() => context.release())
    return { hashes: result.value() as unknown[], next }
  }
  const push = (value: unknown): void =>
    sinks.forEach((sink) => sink.event('eth_subscription', rawJsonFromValue(value)))
  const restart = (): void => {
    pending.close()
    pending = start()
  }
  return { clock, asked, sinks, after, push, restart, close: () => pending.close() }
}

test('tells each transaction after a place once, of one subscription for all', async () => {
  const { asked, after, push } = scene()
  const { hashes, next } = await after(undefined)
  expect(hashes).toEqual([])
  push('0xaa')
  const other = await after(undefined)
  push('0xbb')
  const reported = await after(next)
  expect(reported.hashes).toEqual(['0xaa', '0xbb'])
  expect((await after(other.next)).hashes).toEqual(['0xbb'])
  expect(await after(reported.next)).toEqual({ hashes: [], next: reported.next })
  expect(asked).toEqual([['newPendingTransactions']])
})

test('keeps whole transactions, and those of others, apart', async () => {
  const { asked, after } = scene({ shareOf: ({ tenant = '' }) => tenant })
  await after(undefined)
  await after(undefined, true)
  await after(undefined, false, 'two')
  expect(asked).toEqual([['newPendingTransactions'], ['newPendingTransactions', true], ['newPendingTransactions']])
})

test('subscribes anew after an end, and goes on from the place', async () => {
  const { asked, sinks, after, push } = scene()
  const { next } = await after(undefined)
  push('0xaa')
  const [sink] = sinks
  sinks.clear()
  sink!.end()
  const reported = await after(next)
  expect(reported.hashes).toEqual(['0xaa'])
  push('0xbb')
  expect((await after(reported.next)).hashes).toEqual(['0xbb'])
  expect(asked).toHaveLength(2)
})

test('goes on by time from a place that another process gave', async () => {
  const { clock, after, push, restart } = scene()
  const { next } = await after(undefined)
  restart()
  const first = await after(next)
  expect(first.hashes).toEqual([])
  clock.advance(10)
  push('0xaa')
  expect((await after(next)).hashes).toEqual(['0xaa'])
  expect((await after(first.next)).hashes).toEqual(['0xaa'])
})

/** Processes over one node that tell each other what is read. */
function processes(tenants: (tenant: string | undefined) => string = () => '') {
  const known = new Map<string, string>()
  const listeners = new Set<(name: string, tenant: string) => void>()
  const readersOf = (): PendingReaders => {
    let own: ((name: string, tenant: string) => void) | undefined
    return {
      use(name, tenant) {
        if (known.has(name)) return
        known.set(name, tenant)
        for (const listener of listeners) if (listener !== own) listener(name, tenant)
      },
      isUsed: (name) => known.has(name),
      settled: async () => {},
      watch(listener) {
        own = listener
        listeners.add(listener)
        for (const [name, tenant] of known) listener(name, tenant)
        return () => void listeners.delete(listener)
      },
    }
  }
  const shareOf: PendingTransactionsOptions['shareOf'] = ({ tenant }) => tenants(tenant)
  return { known, listeners, start: () => scene({ readers: readersOf(), shareOf }) }
}

test('a place that another process gave has all that came since, also at the first question', async () => {
  const { start } = processes()
  const [one, two] = [start(), start()]
  const { next } = await one.after(undefined)
  await expect.poll(() => two.sinks.size).toBe(1)
  two.clock.advance(10)
  two.push('0xaa')
  expect((await two.after(next)).hashes).toEqual(['0xaa'])
  expect(two.asked).toEqual([['newPendingTransactions']])
})

test('a process that starts later listens at once, and one with other groups does not', async () => {
  const { known, start } = processes((tenant) => `group of ${tenant}`)
  const one = start()
  await one.after(undefined, true, 'gold')
  expect([...known]).toEqual([['true group of gold', 'gold']])
  const late = start()
  await expect.poll(() => late.asked).toEqual([['newPendingTransactions', true]])
  known.set('false group of silver', 'gold')
  const other = start()
  await expect.poll(() => other.sinks.size).toBe(1)
  expect(other.asked).toEqual([['newPendingTransactions', true]])
})

test('a node is left when no process has asked for a while', async () => {
  const { known, listeners, start } = processes()
  const [one, two] = [start(), start()]
  await one.after(undefined)
  await expect.poll(() => two.sinks.size).toBe(1)
  two.clock.advance(1_000_000)
  expect(two.sinks.size).toBe(1)
  known.clear()
  two.clock.advance(1_000_000)
  expect(two.sinks.size).toBe(0)
  for (const each of [one, two]) each.close()
  expect(listeners.size).toBe(0)
})

test('drops the oldest past its bound', async () => {
  const { after, push } = scene({ maxBytes: 3 * (64 + 6) })
  const { next } = await after(undefined)
  for (const hash of ['0xaa', '0xbb', '0xcc', '0xdd']) push(hash)
  expect((await after(next)).hashes).toEqual(['0xbb', '0xcc', '0xdd'])
})

test('drops what is older than 15 minutes, though somebody asks all the time', async () => {
  const { clock, after, push } = scene()
  const { next } = await after(undefined)
  push('0xaa')
  clock.advance(600_000)
  push('0xbb')
  expect((await after(next)).hashes).toEqual(['0xaa', '0xbb'])
  clock.advance(300_000)
  expect((await after(next)).hashes).toEqual(['0xbb'])
})

test('leaves the node when nobody has asked for a while, or when it is closed', async () => {
  const { clock, sinks, after, close } = scene()
  await after(undefined)
  clock.advance(800_000)
  await after(undefined)
  clock.advance(800_000)
  expect(sinks.size).toBe(1)
  clock.advance(100_000)
  expect(sinks.size).toBe(0)
  await after(undefined)
  expect(sinks.size).toBe(1)
  close()
  expect([sinks.size, clock.timers]).toEqual([0, 0])
})

test('rejects with the refusal of a node, and asks again next time', async () => {
  let answers = 0
  const { after } = scene({
    ask: async () => {
      if (++answers > 1) throw new RpcError('unavailable', 'nobody pushes')
      return { error: { code: -32601, message: 'no "newPendingTransactions" subscription in eth namespace' } }
    },
  })
  await expect(after(undefined)).rejects.toMatchObject({ code: 'rpc', rpc: { code: -32601 } })
  await expect(after(undefined)).rejects.toMatchObject({ code: 'unavailable' })
})
