import { join } from 'node:path'
import { findKubo, startKubo } from './kubo.ts'
import { type Code, startWorker, type Worker } from './worker.ts'

/** A subject that adds and reads content, for the length of a round. */
export interface RunningSubject extends AsyncDisposable {
  /** The process whose CPU time is the subject's. */
  readonly pid: number
  /** The worker that runs the jobs: the subject itself, or the client before it. */
  readonly runner: Worker
  /** Tells its jobs where the content is. */
  readonly at: string
}

export interface Subject {
  readonly name: string
  /** The bare loop that its adding is compared with. undefined: it is one. */
  readonly base: 'bare loop' | 'bare loop, durable' | undefined
  /** Its name when it reads, and the bare loop that it is compared with. undefined: it does not read, or is a bare loop. */
  readonly cat: { readonly name: string; readonly base: 'bare loop, durable' | typeof toNowhere } | undefined
  /** Why it cannot be measured; undefined if it can. */
  missing(): string | undefined
  start(folder: string, code: Code): Promise<RunningSubject>
}

const durable = 'bare loop, durable'
/** The series of the bare loop that reads and hashes, and passes nothing on. */
export const toNowhere = 'bare loop, durable to nowhere'
/** The parts of Helia's unixfs. */
export const helia = {
  add: 'importer and blockstore-fs',
  addDurably: 'importer and blockstore-fs, durable',
  cat: 'exporter and blockstore-fs',
} as const

export const subjects: readonly Subject[] = [
  alone('bare loop', 'bare', undefined),
  alone(durable, 'bare, durable', undefined),
  alone('local backend', 'backend', durable, { name: 'local backend', base: toNowhere }),
  alone('server and client in one process', 'server, one process', durable, {
    name: 'server and client in one process',
    base: durable,
  }),
  {
    name: 'server',
    base: durable,
    cat: { name: 'server', base: durable },
    missing: () => undefined,
    start: (folder, code) =>
      behindClient(
        () => startWorker('server', folder, code),
        ({ ready }) => ready,
      ),
  },
  kubo('Kubo', false),
  kubo('Kubo, synced', true),
  alone(helia.add, 'importer', 'bare loop', { name: helia.cat, base: toNowhere }),
  alone(helia.addDurably, 'importer, durable', durable),
]

function alone(name: string, role: string, base: Subject['base'], cat?: Subject['cat']): Subject {
  return {
    name,
    base,
    cat,
    missing: () => undefined,
    async start(folder, code) {
      const worker = await startWorker(role, join(folder, 'blocks'), code)
      return { pid: worker.pid, runner: worker, at: worker.ready, [Symbol.asyncDispose]: worker[Symbol.asyncDispose] }
    },
  }
}

/** `isSynced`: it syncs each block, as ours does; a Kubo as it comes does not. */
function kubo(name: string, isSynced: boolean): Subject {
  return {
    name,
    base: durable,
    cat: { name, base: durable },
    missing() {
      const found = findKubo()
      return 'missing' in found ? found.missing : undefined
    },
    start(folder) {
      const found = findKubo() as { readonly path: string }
      return behindClient(
        () => startKubo(found.path, folder, isSynced),
        ({ url }) => url,
      )
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
