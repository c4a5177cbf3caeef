import { parentPort } from 'node:worker_threads'
import { runAnyCheck } from './check-text.ts'
import type { CheckReply, CheckTask } from './check-thread.ts'

// The entry of the verification thread: checks one answer after another.
parentPort!.on('message', ({ id, check }: CheckTask) => {
  parentPort!.postMessage({ id, verdict: runAnyCheck(check) } satisfies CheckReply)
})
