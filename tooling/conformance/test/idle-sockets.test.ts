import { expect, it } from 'vitest'
import { measureIdleSockets } from '../src/idle-sockets.ts'

it('500 idle WebSockets cost the gateway little', async () => {
  const { kbPerSocket, heapKbPerSocket } = await measureIdleSockets(500)
  // The promise is 20 kB over 10,000 of them, where 12 were measured; among so few, a page more or less of the process
  // weighs several kB each. The part that V8 counts is exact: 7 were measured.
  expect(kbPerSocket).toBeLessThan(40)
  expect(heapKbPerSocket).toBeGreaterThan(1)
  expect(heapKbPerSocket).toBeLessThan(12)
}, 60_000)
