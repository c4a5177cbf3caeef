// Loaded into a proxy by `--import`, with `--expose-gc`: tells on stdout, at each SIGUSR2, the bytes that it holds.
import { setTimeout as sleep } from 'node:timers/promises'

process.on('SIGUSR2', async () => {
  // Objects that finalizers and weak references hold go with the second collection.
  for (let i = 0; i < 2; i++) {
    gc?.()
    await sleep(50)
  }
  const { heapUsed, external, rss } = process.memoryUsage()
  process.stdout.write(`${JSON.stringify({ held: heapUsed + external, resident: rss })}\n`)
})
