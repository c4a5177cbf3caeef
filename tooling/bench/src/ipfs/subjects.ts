import { join } from 'node:path'
import { whyNoImporter } from './importer.ts'
import { findKubo, startKubo } from './kubo.ts'
import { type Code, startWorker, type Worker } from './worker.ts'

/** What adds and reads content, for the length of a round. */
export interface RunningSubject extends AsyncDisposable {
  /** Whose CPU time is the subject's. */
  readonly pid: number
  /** Who runs the jobs: the subject itself, or the client before it. */
  readonly runner: Worker
  /** What its jobs are given to know where the content is. */
  readonly at: string
}

export interface Subject {
  readonly name: string
  readonly canCat: boolean
  /** The bare loop that its numbers are held against. undefined: it is one. */
  readonly base: 'bare loop' | 'bare loop, durable' | undefined
  /** Why it cannot be measured; undefined where it can. */
  missing(): string | undefined
  start(folder: string, code: Code): Promise<RunningSubject>
}

const durable = 'bare loop, durable'

export const subjects: readonly Subject[] = [
  alone('bare loop', 'bare', undefined),
  alone(durable, 'bare, durable', undefined),
  alone('local backend', 'backend', durable),
  alone('server and client in one process', 'server, one process', durable),
  {
    name: 'server',
    canCat: true,
    base: durable,
    missing: () => undefined,
    start: (folder, code) =>
      behindClient(
        () => startWorker('server', folder, code),
        ({ ready }) => ready,
      ),
  },
  {
    name: 'Kubo',
    canCat: true,
    base: durable,
    missing() {
      const found = findKubo()
      return 'missing' in found ? found.missing : undefined
    },
    start(folder) {
      const found = findKubo() as { readonly path: string }
      return behindClient(
        () => startKubo(found.path, folder),
        ({ url }) => url,
      )
    },
  },
  { ...alone('importer and blockstore-fs', 'importer', 'bare loop'), canCat: false, missing: whyNoImporter },
]

function alone(name: string, role: string, base: Subject['base']): Subject {
  return {
    name,
    canCat: true,
    base,
    missing: () => undefined,
    async start(folder, code) {
      const worker = await startWorker(role, join(folder, 'blocks'), code)
      return { pid: worker.pid, runner: worker, at: worker.ready, [Symbol.asyncDispose]: worker[Symbol.asyncDispose] }
    },
  }
}

async function behindClient<T extends AsyncDisposable & { readonly pid: number }>(
  start: () => Promise<T>,
  urlOf: (server: T) => string,
): Promise<RunningSubject> {
  await using stack = new AsyncDisposableStack()
  const server = stack.use(await start())
  const runner = stack.use(await startWorker('client', '', 'built'))
  const owned = stack.move()
  return { pid: server.pid, runner, at: urlOf(server), [Symbol.asyncDispose]: () => owned.disposeAsync() }
}
