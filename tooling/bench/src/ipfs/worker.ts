import { fork } from 'node:child_process'
import { once } from 'node:events'
import { BenchError } from '../error.ts'

/** What a worker is told to run, and tells when it has. Times in ms, of the worker's own clock. */
export type Jobs = {
  /** Adds a file; tells the CID, or '' where the subject has none. */
  add: { readonly file: string; readonly to: string }
  /** Reads it back; tells how many bytes came. */
  cat: { readonly cid: string; readonly from: string }
  /** Begins to add a file, and breaks the connection off when so many bytes were sent. */
  leave: { readonly file: string; readonly to: string; readonly afterBytes: number }
  /** Tells what the process knows of its memory, after a collection: {@link NodeJS.MemoryUsage} as JSON. */
  memory: object
}

/** A Node process that runs jobs of one kind of subject. */
export interface Worker extends AsyncDisposable {
  readonly pid: number
  /** What it told when it was ready: a server its URL. */
  readonly ready: string
  run<K extends keyof Jobs>(job: K, args: Jobs[K]): Promise<{ readonly ms: number; readonly value: string }>
}

interface Told {
  readonly ms: number
  readonly value: string
  readonly error?: string
}

/** What is measured: the packages as they are built, or their sources, which take more memory to load. */
export type Code = 'built' | 'sources'

/** Starts one. @throws BenchError where it ends before it is ready, and from a job that fails */
export async function startWorker(role: string, folder: string, code: Code): Promise<Worker> {
  const child = fork(new URL('worker-process.ts', import.meta.url), [role, folder], {
    execArgv: ['--expose-gc', ...(code === 'sources' ? ['--conditions=@wayleave/source'] : [])],
  })
  const ended = once(child, 'exit').then(([status]): Told => {
    throw new BenchError('subject', `the worker for ${role} ended with ${status}`)
  })
  ended.catch(() => {})
  const next = async (): Promise<Told> => {
    const told = await Promise.race([once(child, 'message').then(([message]) => message as Told), ended])
    if (told.error !== undefined) throw new BenchError('subject', `${role}: ${told.error}`)
    return told
  }
  const { value: ready } = await next()
  return {
    pid: child.pid!,
    ready,
    run(job, args) {
      const told = next()
      child.send({ job, args })
      return told
    },
    async [Symbol.asyncDispose]() {
      const exit = once(child, 'exit')
      child.disconnect()
      await exit
    },
  }
}
