import { type ChildProcess, fork } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import type { Plan } from '../plan.ts'
import type { Job, JobResult } from './messages.ts'
import type { Report } from './report.ts'

/** Processes that run plans. */
export interface Farm {
  /** Runs a plan in the first process that is free. A run that breaks off, or takes very long, is a report with that violation. */
  run(plan: Plan): Promise<Report>
  close(): void
  [Symbol.dispose](): void
}

/** Longest real time of a run, in ms: a run without an end would hold up all others. */
const longestRunMs = 120_000
const workerFile = fileURLToPath(new URL('./worker.ts', import.meta.url))

/** Starts processes when they are needed. `mutation`: the seeded bug that all of them carry. */
export function createFarm(workers: number, mutation?: string): Farm {
  const idle: ChildProcess[] = []
  const all = new Set<ChildProcess>()
  const waiting: (() => void)[] = []
  let isClosed = false

  function start(): ChildProcess {
    const child = fork(workerFile, mutation === undefined ? [] : [mutation], {
      execArgv: ['--conditions=@wayleave/source', '--no-warnings'],
      stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
    })
    all.add(child)
    return child
  }

  async function take(): Promise<ChildProcess> {
    for (;;) {
      const child = idle.pop() ?? (all.size < workers ? start() : undefined)
      if (child !== undefined) return child
      await new Promise<void>((resolve) => void waiting.push(resolve))
    }
  }

  function end(child: ChildProcess): void {
    all.delete(child)
    child.kill('SIGKILL')
  }

  return {
    async run(plan) {
      const child = await take()
      const result = await ask(child, { plan })
      if ('report' in result) idle.push(child)
      else end(child)
      waiting.shift()?.()
      if (isClosed) end(child)
      return 'report' in result ? result.report : brokenOff(plan, result.failure)
    },
    close,
    [Symbol.dispose]: close,
  }

  function close(): void {
    isClosed = true
    for (const child of all) end(child)
  }
}

function ask(child: ChildProcess, job: Job): Promise<JobResult> {
  return new Promise((resolve) => {
    const settle = (result: JobResult): void => {
      clearTimeout(timer)
      child.off('message', settle)
      child.off('exit', gone)
      child.off('error', gone)
      resolve(result)
    }
    const gone = (): void => settle({ failure: 'its process has ended' })
    const timer = setTimeout(() => settle({ failure: `it took more than ${longestRunMs} ms` }), longestRunMs)
    child.on('message', settle)
    child.on('exit', gone)
    child.on('error', gone)
    child.send(job, (failed) => {
      if (failed !== null) gone()
    })
  })
}

function brokenOff({ seed }: Plan, failure: string): Report {
  const stats = { calls: 0, answered: 0, refused: 0, exchanges: 0, pushes: 0, judged: 0, hits: 0 }
  return { seed, violations: [{ invariant: 'runsToItsEnd', at: 0, text: failure }], traceHash: '', stats }
}
