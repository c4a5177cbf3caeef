import { fork } from 'node:child_process'
import { once } from 'node:events'
import { BenchError } from '../error.ts'

/** The jobs of a worker, and their arguments. It measures times in ms by its own clock. */
export type Jobs = {
  /** Adds a file; tells the CID, or '' if the subject has none. */
  add: { readonly file: string; readonly to: string }
  /** Reads it back; tells how many bytes came. */
  cat: { readonly cid: string; readonly from: string }
  /** Begins to add a file, and breaks the connection after that many bytes. */
  leave: { readonly file: string; readonly to: string; readonly afterBytes: number }
  /** Tells the process' memory after a garbage collection: {@link NodeJS.MemoryUsage} as JSON. */
  memory: object
}

/** A Node process that runs jobs of one kind of subject. */
export interface Worker extends AsyncDisposable {
  readonly pid: number
  /** Its message when it was ready: a server's URL. */
  readonly ready: string
  run<K extends keyof Jobs>(job: K, args: Jobs[K]): Promise<{ readonly ms: number; readonly value: string }>
}

interface Reported {
  readonly ms: number
  readonly value: string
  readonly error?: string
}

/** The code to measure: the built packages, or their sources, which take more memory to load. */
export type Code = 'built' | 'sources'

/** Starts a worker. @throws BenchError if it ends before it is ready, and from a job that fails */
export async function startWorker(role: string, folder: string, code: Code): Promise<Worker> {
  const child = fork(new URL('worker-process.ts', import.meta.url), [role, folder], {
    execArgv: ['--expose-gc', ...(code === 'sources' ? ['--conditions=@wayleave/source'] : [])],
  })
  const ended = once(child, 'exit').then(([status]): Reported => {
    throw new BenchError('subject', `the worker for ${role} ended with ${status}`)
  })
  ended.catch(() => {})
  const next = async (): Promise<Reported> => {
    const reported = await Promise.race([once(child, 'message').then(([message]) => message as Reported), ended])
    if (reported.error !== undefined) throw new BenchError('subject', `${role}: ${reported.error}`)
    return reported
  }
  const { value: ready } = await next()
  return {
    pid: child.pid!,
    ready,
    run(job, args) {
      const reported = next()
      child.send({ job, args })
      return reported
    },
    async [Symbol.asyncDispose]() {
      const exit = once(child, 'exit')
      child.disconnect()
      await exit
    },
  }
}
