import { Worker } from 'node:worker_threads'
import type { LongCheck, Verdict } from '@wayleave/evm-verify'
import type { TextCheck } from './check-text.ts'

/** A check that is sent to the verification thread. */
export interface CheckTask {
  readonly id: number
  readonly check: LongCheck | TextCheck
}

/** Its verdict. */
export interface CheckReply {
  readonly id: number
  readonly verdict: Verdict
}

/** A thread that checks one task after another. */
export interface CheckThread {
  /** Sends a task. Throws where it cannot be copied. */
  post(task: CheckTask): void
  close(): Promise<unknown>
}

export interface CheckThreadEvents {
  onReply(reply: CheckReply): void
  /** Called once where the thread ends by itself. */
  onEnd(why: Error): void
}

/** Starts a thread. */
export type StartCheckThread = (events: CheckThreadEvents) => CheckThread

/** Largest heap of the thread, in MiB: an answer has a cap, and its check takes some ten times its length. */
const maxHeapMb = 512

/** Starts a real thread, which does not keep the process alive. */
export function startCheckThread({ onReply, onEnd }: CheckThreadEvents): CheckThread {
  const isSource = import.meta.url.endsWith('.ts')
  const worker = new Worker(new URL(`./check-worker.${isSource ? 'ts' : 'js'}`, import.meta.url), {
    name: 'verification',
    resourceLimits: { maxOldGenerationSizeMb: maxHeapMb },
    ...(isSource && { execArgv: ['--conditions=@wayleave/source'] }),
  })
  worker.unref()
  worker.on('message', onReply)
  worker.once('error', (thrown) => onEnd(thrown instanceof Error ? thrown : new Error('the thread failed')))
  worker.once('exit', (code) => onEnd(new Error(`the thread ended with code ${code}`)))
  return { post: (task) => worker.postMessage(task), close: () => worker.terminate() }
}
