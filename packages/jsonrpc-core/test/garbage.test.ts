import { getHeapSpaceStatistics, setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import {
  coalesce,
  createContext,
  createRpcServer,
  rawJsonFromText,
  type RpcHandler,
  systemClock as clock,
} from '@wayleave/jsonrpc-core'
import { serveSocket, type ServerSocket } from '@wayleave/jsonrpc-core/websocket'
import { expect, test } from 'vitest'
import { call } from './support.ts'

setFlagsFromString('--expose-gc')
const collect = runInNewContext('gc') as (options: { type: 'minor' | 'major' }) => void

/** Returns the bytes by which the heap grows through 5,000 steps, while only what lives short is collected. */
async function growthThrough(step: (i: number) => Promise<unknown>): Promise<number> {
  const pass = async (from: number, to: number): Promise<void> => {
    for (let i = from; i < to; i++) {
      await step(i)
      if (i % 50 === 0) collect({ type: 'minor' })
    }
  }
  await pass(0, 500)
  // The map grows old.
  collect({ type: 'major' })
  const before = usedBytes()
  await pass(500, 5_500)
  return usedBytes() - before
}

function usedBytes(): number {
  return getHeapSpaceStatistics().reduce((sum, { space_used_size }) => sum + space_used_size, 0)
}

/** Has two calls wait at any time, each of which holds 4 kB, until the end. */
function slow(): { readonly handler: RpcHandler; end(): void } {
  const waiting: (() => void)[] = []
  return {
    handler: (_request, context) =>
      new Promise((resolve) => {
        const held = Array.from({ length: 500 }, (_, i) => i)
        context.onCancel(() => void held.pop())
        waiting.push(() => void resolve({ result: rawJsonFromText(String(held.length)) }))
        if (waiting.length > 2) waiting.shift()!()
      }),
    end() {
      for (const answer of waiting.splice(0)) answer()
    },
  }
}

const nextTurn = (): Promise<void> => new Promise((resolve) => void setImmediate(resolve))

// So that the tests below would notice if V8 no longer did it.
test('what has left an old Map stays in the heap', async () => {
  const map = new Map<number, unknown>()
  const growth = await growthThrough(async (i) => {
    map.set(
      i,
      Array.from({ length: 500 }, (_, at) => at),
    )
    map.delete(i - 2)
  })
  expect(growth).toBeGreaterThan(4_000_000)
})

test('calls that have landed leave no garbage that grows old', async () => {
  const { handler: answerLater, end } = slow()
  const handler = coalesce({ key: ({ params }) => params?.text(), clock })(answerLater)
  let answers = 0
  const growth = await growthThrough(async (i) => {
    const context = createContext()
    void handler(call('read', [i]), context).then(() => {
      answers++
      context.release()
    })
    await nextTurn()
  })
  end()
  await expect.poll(() => answers).toBe(5_500)
  expect(growth).toBeLessThan(5_000_000)
})

test('calls of a connection that have been answered leave no garbage that grows old', async () => {
  const socket = new EventTarget() as EventTarget & ServerSocket
  let answers = 0
  Object.assign(socket, { readyState: 1, bufferedAmount: 0, send: () => void answers++, close() {} })
  const { handler, end } = slow()
  serveSocket(createRpcServer(handler), socket, { clock })
  const growth = await growthThrough(async (i) => {
    const data = `{"jsonrpc":"2.0","id":${i},"method":"read","params":[]}`
    socket.dispatchEvent(new MessageEvent('message', { data }))
    await nextTurn()
  })
  expect(answers).toBe(5_498)
  end()
  await expect.poll(() => answers).toBe(5_500)
  expect(growth).toBeLessThan(5_000_000)
})
