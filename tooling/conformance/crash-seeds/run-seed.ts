import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { copyFile, mkdtemp, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { systemClock } from '@wayleave/jsonrpc-core'
import { createSpool } from '@wayleave/metering'
import { openSpoolFile } from '@wayleave/metering/node'
import { openStores, type StoresOptions } from '@wayleave/stores'
import type { LifeLine, LifeOptions } from './life.ts'
import { createRandom } from './random.ts'
// @boundaries-ignore The programs as tests start them.
import { bundlePrograms } from '../../../vitest.bundle.ts'

export interface SeedOptions {
  readonly seed: number
  /** An empty SQLite database of the newest schema, which is copied; or the URL of a PostgreSQL database. */
  readonly store: StoresOptions
  /** A folder for temporary files. */
  readonly folder: string
}

/** The outcome of a seed. */
export interface SeedResult {
  readonly seed: number
  /** Moments at which its processes ended, in order. */
  readonly ends: readonly string[]
  readonly counted: number
  /** Calls that were counted after the last flush, and are gone. */
  readonly lost: number
  /** Sentences about calls that count twice, or are gone though they were flushed. */
  readonly wrong: readonly string[]
}

const { usageLife: program } = await bundlePrograms()
const periods = ['minute', 'hour', 'day'] as const
const longestLifeMs = 60_000

/** Lets one or two processes count and be killed in turn, opens what they left, and compares it with what they said. */
export async function runSeed({ seed, store, folder: parent }: SeedOptions): Promise<SeedResult> {
  const random = createRandom(-seed)
  const folder = await mkdtemp(join(parent, `seed-${seed}-`))
  try {
    const own = 'sqlite' in store ? { sqlite: join(folder, 'wayleave.sqlite') } : store
    if ('sqlite' in store && 'sqlite' in own) await copyFile(store.sqlite, own.sqlite)
    const killsItself = 'sqlite' in store
    const ends: string[] = []
    const reported = new Map<string, { safe: number; counted: number }>()
    const lives = 1 + random.int(2)
    for (let life = 0; life < lives; life++) {
      const killAfterMs = killsItself ? undefined : random.int(250)
      ends.push(await live({ folder, store: own, seed, life, killsItself }, killAfterMs, reported))
    }
    const wrong = ends.filter((end) => end.startsWith('failed'))
    const stored = await recover(folder, own, seed, wrong)
    let counted = 0
    let lost = 0
    for (const [key, { safe, counted: most }] of reported) {
      const calls = stored.get(key) ?? 0
      counted += most
      lost += most - calls
      if (calls > most) wrong.push(`${calls} calls of key ${key} are stored, of ${most} that were counted`)
      if (calls < safe) wrong.push(`${calls} calls of key ${key} are stored, of ${safe} that were flushed`)
    }
    for (const key of stored.keys()) if (!reported.has(key)) wrong.push(`nobody counted key ${key}`)
    return { seed, ends, counted, lost, wrong }
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

/** Runs a process until its end. Returns the moment of it. */
async function live(
  options: LifeOptions,
  killAfterMs: number | undefined,
  reported: Map<string, { safe: number; counted: number }>,
): Promise<string> {
  const args = ['--conditions=@wayleave/source', program, JSON.stringify(options)]
  const child = spawn(process.execPath, args, {
    stdio: ['ignore', 'pipe', 'inherit'],
    env: { ...process.env, NODE_COMPILE_CACHE: join(options.folder, '..', 'compiled'), NODE_NO_WARNINGS: '1' },
    timeout: longestLifeMs,
    killSignal: 'SIGTERM',
  })
  const exited = once(child, 'exit')
  let end: string | undefined
  let killer: NodeJS.Timeout | undefined
  for await (const text of createInterface({ input: child.stdout })) {
    const line = JSON.parse(text) as LifeLine
    if (killAfterMs !== undefined) killer ??= setTimeout(() => child.kill('SIGKILL'), killAfterMs)
    if ('counted' in line) {
      for (const [key, calls] of line.counted) {
        const sums = reported.get(key)
        if (sums === undefined) reported.set(key, { safe: 0, counted: calls })
        else sums.counted += calls
      }
    } else if ('safe' in line) {
      for (const [key, sums] of reported) if (key.startsWith(`${options.life}-`)) sums.safe = sums.counted
    } else if ('dies' in line) end = line.dies
    else {
      end = 'closed'
      for (const [key, sums] of reported) if (key.startsWith(`${options.life}-`)) sums.safe = sums.counted
    }
  }
  clearTimeout(killer)
  const [code, signal] = (await exited) as [number | null, NodeJS.Signals | null]
  if (signal === 'SIGKILL') return end ?? 'killed'
  return code === 0 && end === 'closed' ? end : `failed: a process ended with ${signal ?? code}`
}

/** Opens what the last process left, as the next start would, and reads the calls of each key. */
async function recover(
  folder: string,
  store: StoresOptions,
  seed: number,
  wrong: string[],
): Promise<ReadonlyMap<string, number>> {
  await using stores = await openStores(store)
  const file = await openSpoolFile(join(folder, 'usage.spool'))
  const spool = createSpool({
    file,
    clock: systemClock,
    process: `${seed}-last`,
    store: (batch) => stores.usage.add(batch.process, batch.seq, batch.rows),
    onFailure: (what, why) => wrong.push(`the ${what} failed at the last start: ${String(why)}`),
  })
  await spool.open()
  await spool.drain()
  if (file.size > 0) wrong.push(`the spool still has ${file.size} bytes`)
  await spool.close()
  const sums = await Promise.all(
    periods.map((period) =>
      stores.usage.query({
        period,
        from: 0,
        to: 2 ** 50,
        where: { project: `seed-${seed}` },
        by: ['key'],
        limit: 10_000,
      }),
    ),
  )
  const [ofMinutes, ...others] = sums.map((some) => JSON.stringify(some))
  for (const other of others) if (other !== ofMinutes) wrong.push('sums by minute, hour and day differ')
  return new Map(sums[0]!.map(({ key = '', calls }) => [key, calls]))
}
