import { parentPort } from 'node:worker_threads'
import { runCheck } from '@wayleave/evm-verify'
import type { CheckReply, CheckTask } from './check-thread.ts'

// The entry of the verification thread: checks one answer after another.
parentPort!.on('message', ({ id, check }: CheckTask) => {
  parentPort!.postMessage({ id, verdict: runCheck(check) } satisfies CheckReply)
})
