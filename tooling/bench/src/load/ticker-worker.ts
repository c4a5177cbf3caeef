// Sleeps between ticks more finely than an event loop can, which rounds to whole milliseconds.
import { parentPort, workerData } from 'node:worker_threads'
import { systemClock } from '../defaults.ts'

const { start, periodMs, count } = workerData as { start: number; periodMs: number; count: number }
const cell = new Int32Array(new SharedArrayBuffer(4))
for (let i = 0; i < count; i++) {
  const wait = start + i * periodMs - systemClock.now()
  if (wait > 0) Atomics.wait(cell, 0, 0, wait)
  parentPort!.postMessage(i)
}
