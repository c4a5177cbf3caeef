import { constants, PerformanceObserver } from 'node:perf_hooks'
import { realSurroundings } from '@wayleave/gateway'
import { expect, it, onTestFinished, vi } from 'vitest'
import { createBufferRelief } from '@wayleave/http-server'

it('collects each time that eight megabytes have passed', () => {
  let collections = 0
  const onPassed = createBufferRelief(() => collections++)
  for (let i = 0; i < 79; i++) onPassed(100_000)
  expect(collections).toBe(0)
  onPassed(100_000)
  expect(collections).toBe(1)
  for (let i = 0; i < 80; i++) onPassed(100_000)
  expect(collections).toBe(2)
})

it('has V8 collect what is young, and nothing else', async () => {
  const forced: unknown[] = []
  const observer = new PerformanceObserver((list) => {
    for (const { detail } of list.getEntries() as unknown as { detail: { kind: number; flags: number } }[]) {
      // V8 collects by itself, too.
      if ((detail.flags & constants.NODE_PERFORMANCE_GC_FLAGS_FORCED) !== 0) forced.push(detail.kind)
    }
  })
  observer.observe({ entryTypes: ['gc'] })
  onTestFinished(() => observer.disconnect())
  realSurroundings.collectYoung()
  realSurroundings.collectYoung()
  await vi.waitFor(() => expect(forced).toHaveLength(2), { timeout: 15_000 })
  expect(new Set(forced)).toEqual(new Set([constants.NODE_PERFORMANCE_GC_MINOR]))
})

it('frees buffers that nobody holds', async () => {
  realSurroundings.collectYoung()
  const before = process.memoryUsage().arrayBuffers
  for (let i = 0; i < 100; i++) Buffer.alloc(100_000)
  realSurroundings.collectYoung()
  // The memory itself is given back a moment later, on another thread.
  const held = (): number => process.memoryUsage().arrayBuffers - before
  await vi.waitFor(() => expect(held()).toBeLessThan(2_000_000), { timeout: 15_000 })
})
