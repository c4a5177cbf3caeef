import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { constants, PerformanceObserver } from 'node:perf_hooks'
import { runInNewContext } from 'node:vm'
import { expect, it, onTestFinished, vi } from 'vitest'
import { createIpfsClient } from '../../src/index.ts'

const bytes = new Uint8Array(12_000_000)

/** How often something asked for garbage of short life to be collected. */
function countCollections(): () => number {
  let count = 0
  const observer = new PerformanceObserver((list) => {
    for (const { detail } of list.getEntries() as unknown as readonly { detail: { kind: number; flags: number } }[]) {
      const { NODE_PERFORMANCE_GC_MINOR: minor, NODE_PERFORMANCE_GC_FLAGS_FORCED: forced } = constants
      if (detail.kind === minor && detail.flags & forced) count++
    }
  })
  observer.observe({ entryTypes: ['gc'] })
  onTestFinished(() => observer.disconnect())
  return () => count
}

/** A host that takes all and sends all. */
async function start(): Promise<string> {
  const server = createServer((request, response) => {
    request.resume().on('end', () => {
      if (request.url!.includes('/cat')) response.end(bytes)
      else response.end('{"Name":"","Hash":"QmbFMke1KXqnYyBBWxB74N4c5SBnJMVAiMNRcGu6x1AwQH","Size":"1"}\n')
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

it('in Node, a read and an upload have garbage of short life collected, and leave no flag of V8 behind', async () => {
  const client = createIpfsClient({ url: await start(), verify: 'off' })
  const ofRead = countCollections()
  expect((await client.cat('/ipfs/any').bytes()).byteLength).toBe(bytes.byteLength)
  await vi.waitFor(() => expect(ofRead()).toBeGreaterThanOrEqual(1), 10_000)
  const ofUpload = countCollections()
  await client.add(bytes)
  await vi.waitFor(() => expect(ofUpload()).toBeGreaterThanOrEqual(1), 10_000)
  expect(runInNewContext('typeof gc')).toBe('undefined')
})
