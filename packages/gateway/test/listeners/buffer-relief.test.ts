import { expect, it, vi } from 'vitest'
import { realSurroundings } from '../../src/defaults.ts'
import { createBufferRelief } from '../../src/listeners/buffer-relief.ts'

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

it('frees buffers that nobody holds', async () => {
  realSurroundings.collectYoung()
  const before = process.memoryUsage().arrayBuffers
  for (let i = 0; i < 100; i++) Buffer.alloc(100_000)
  expect(process.memoryUsage().arrayBuffers - before).toBeGreaterThan(5_000_000)
  realSurroundings.collectYoung()
  // The memory itself is given back a moment later, on another thread.
  await vi.waitFor(() => expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(2_000_000))
})
