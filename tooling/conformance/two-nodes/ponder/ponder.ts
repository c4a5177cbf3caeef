import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createWriteStream } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { freePorts } from '../nodes/free-ports.ts'
import { programIn, writeProject } from './ponder-project.ts'

/** The rows that a Ponder has written, up to some block: a line each. */
interface Rows {
  /** Its last block, also beyond those of the rows. */
  readonly last: number
  readonly blocks: readonly string[]
  readonly events: readonly string[]
}

/** A Ponder that indexes a chain: every block, and the events of one contract. */
export interface Ponder extends AsyncDisposable {
  /** Whether it still runs. */
  readonly alive: () => boolean
  /** Waits until it is beyond a block, so that all rows of that are there, for two minutes at most. @throws Error where it ended, or is not by then. */
  rowsUpTo(number: number, signal: AbortSignal): Promise<Rows>
}

export interface PonderOptions {
  /** The folder with its packages. */
  readonly packages: string
  /** A folder of this run, and its own name in it. */
  readonly folder: string
  readonly name: string
  readonly url: string
  readonly chainId: number
  readonly contract: string
}

const catchUpWithinMs = 120_000

export async function startPonder({ packages, folder, name, url, chainId, contract }: PonderOptions): Promise<Ponder> {
  const root = join(folder, name)
  await writeProject(root, packages)
  const [port] = (await freePorts(1)) as [number]
  const env = {
    ...process.env,
    RIG_URL: url,
    RIG_CHAIN_ID: String(chainId),
    RIG_CONTRACT: contract,
    RIG_DATABASE: join(root, 'database'),
    PONDER_TELEMETRY_DISABLED: 'true',
  }
  const args = ['start', '--root', root, '--schema', 'rig', '--port', String(port), '--log-format', 'json']
  const child = spawn(programIn(packages), args, { stdio: ['ignore', 'pipe', 'pipe'], env })
  const log = createWriteStream(join(folder, `${name}.log`))
  child.stdout.pipe(log, { end: false })
  child.stderr.pipe(log, { end: false })
  const exited = once(child, 'exit')
  const alive = (): boolean => child.exitCode === null && child.signalCode === null

  async function rows(number: number): Promise<Rows | undefined> {
    try {
      const response = await fetch(`http://127.0.0.1:${port}/rows/${number}`, { signal: AbortSignal.timeout(10_000) })
      return response.ok ? ((await response.json()) as Rows) : undefined
    } catch {
      // It is starting, or has ended.
      return undefined
    }
  }

  return {
    alive,
    async rowsUpTo(number, signal) {
      const until = performance.now() + catchUpWithinMs
      let last: Rows | undefined
      while (alive() && performance.now() < until) {
        last = (await rows(number)) ?? last
        if (last !== undefined && last.last > number) return last
        await sleep(500, undefined, { signal })
      }
      const why = alive() ? `stands at block ${last?.last ?? 'none'}, not beyond ${number}` : 'has ended'
      throw new Error(`${name} ${why}; see ${join(folder, `${name}.log`)}`)
    },
    async [Symbol.asyncDispose]() {
      if (alive()) {
        child.kill('SIGKILL')
        await exited
      }
      await new Promise((resolve) => log.end(resolve))
    },
  }
}

type Lists = Omit<Rows, 'last'>

/** Names the rows that two Ponders do not share, the first few of each; nothing if both have the same. */
export function differences(through: Lists, direct: Lists): readonly string[] {
  return (['blocks', 'events'] as const).flatMap((kind) => {
    const [have, want] = [new Set(through[kind]), new Set(direct[kind])]
    const missing = direct[kind].filter((row) => !have.has(row))
    const wrong = through[kind].filter((row) => !want.has(row))
    const few = (rows: readonly string[]): string => rows.slice(0, 3).join(', ')
    return [
      ...(missing.length > 0
        ? [`${missing.length} of ${direct[kind].length} ${kind} are missing: ${few(missing)}`]
        : []),
      ...(wrong.length > 0 ? [`${wrong.length} ${kind} are not on the chain: ${few(wrong)}`] : []),
    ]
  })
}
