import { fork } from 'node:child_process'
import { once } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { steady } from '../../src/steady.ts'
import type { WrittenHead } from './written-heads.ts'

/** In bytes, after garbage is collected. */
interface Memory {
  readonly rss: number
  readonly heapUsed: number
  readonly external: number
  /** V8's room for new objects, as far as none is in it. It grows with their rate, and shrinks when that is low. */
  readonly youngFree: number
}

/** A gateway in a process of its own, whose memory can be asked for. */
export interface MeasuredGateway extends AsyncDisposable {
  readonly pid: number
  /** Address of its WebSockets, without the path. */
  readonly ws: string
  /** Resolves when two measurements in a row are much the same, or with the twentieth. */
  settledMemory(): Promise<Memory>
  /** The heads that it has written to callers. */
  writtenHeads(): Promise<readonly WrittenHead[]>
}

/** A difference of resident memory that is none, in bytes. */
const sameWithin = 512 * 1024
const program = fileURLToPath(new URL('gateway-process.ts', import.meta.url))

/** Starts a gateway from source. */
export async function startMeasuredGateway(config: object): Promise<MeasuredGateway> {
  const execArgv = ['--expose-gc', '--conditions=@wayleave/source', ...steady.flags]
  const child = fork(program, [JSON.stringify(config)], { execArgv, env: { ...process.env, ...steady.env } })
  const [{ ws }] = (await once(child, 'message')) as [{ ws: string }]

  async function ask<T>(question: 'memory' | 'heads'): Promise<T> {
    child.send(question)
    const [reported] = (await once(child, 'message')) as [T]
    return reported
  }
  const memory = (): Promise<Memory> => ask('memory')

  return {
    pid: child.pid!,
    ws,
    writtenHeads: () => ask('heads'),
    async settledMemory() {
      let last = await memory()
      for (let i = 0; i < 20; i++) {
        await sleep(250)
        const next = await memory()
        if (Math.abs(next.rss - last.rss) < sameWithin) return next
        last = next
      }
      return last
    },
    async [Symbol.asyncDispose]() {
      if (child.exitCode !== null || child.signalCode !== null) return
      const exited = once(child, 'exit')
      child.disconnect()
      await exited
    },
  }
}
