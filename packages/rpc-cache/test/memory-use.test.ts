import { createContext, rawJsonFromText } from '@wayleave/jsonrpc-core'
import { createMemoryStore, createRpcCache } from '@wayleave/rpc-cache'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { expect, it } from 'vitest'
import { FakeChain } from './fake-chain.ts'
import { requestOf } from './scene.ts'

setFlagsFromString('--expose-gc')
const collect = runInNewContext('gc') as () => void

function liveBytes(): number {
  collect()
  collect()
  const { heapUsed, arrayBuffers } = process.memoryUsage()
  return heapUsed + arrayBuffers
}

it('takes no more memory than it counts, whatever the answers were cut out of', async () => {
  const maxBytes = 33_554_432
  const store = createMemoryStore({ maxBytes })
  let asked = 0
  const { middleware } = createRpcCache({
    store,
    classify: ({ params }) => ({ key: params!.text(), life: { of: 'numbers', to: 80 + (asked % 20) } }),
    positionOf: () => undefined,
    admits: () => true,
    chain: new FakeChain(),
    partition: 'mainnet',
  })
  const handler = middleware(async () => {
    // A short answer in a long frame.
    const frame = '1'.repeat(20_000 + (asked % 7))
    return { result: rawJsonFromText(frame.slice(0, 60 + ((asked * 31) % 2_500))) }
  })
  const context = createContext()
  const before = liveBytes()
  for (; asked < 60_000; asked++)
    await handler(requestOf('receipt', `["0x${String(asked).padStart(64, '0')}"]`), context)
  context.release()
  expect(store.evictions).toBeGreaterThan(10_000)
  expect(store.bytes).toBeLessThanOrEqual(maxBytes)
  expect(store.bytes).toBeGreaterThan(maxBytes * 0.99)
  expect(Math.abs(liveBytes() - before - maxBytes)).toBeLessThan(maxBytes * 0.05)
})
