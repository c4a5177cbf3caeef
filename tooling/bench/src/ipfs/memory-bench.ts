import { mkdtemp, readdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { printBasic } from '@wayleave/auth'
import type { BenchClock } from '../defaults.ts'
import { BenchError } from '../error.ts'
import { peakBytes, resetPeak } from '../process-usage.ts'
import { leafBytes, writeContent } from './content.ts'
import { type Kubo, startKubo } from './kubo.ts'
import { openSlowReaders } from './slow-readers.ts'
import { type Code, startWorker, type Worker } from './worker.ts'

interface MemoryPlan {
  readonly mib: number
  readonly readers: number
  /** How long they read. */
  readonly seconds: number
  readonly folder: string
  readonly code: Code
  /** The path of a Kubo that keeps the content; undefined: the gateway keeps it. */
  readonly kubo: string | undefined
}

/** One measured quantity, in MB (10^6). */
interface MemoryRow {
  readonly what: string
  readonly mb: number
  /** The bar. undefined: the quantity is not judged. */
  readonly below: number | undefined
}

interface Speed {
  readonly what: string
  readonly mbPerSecond: number
}

/** The settings that each part of a run needs. */
interface Run extends MemoryPlan {
  readonly clock: BenchClock
  /** The role of the gateway. */
  readonly gateway: string
  readonly keep: Keep
  readonly reportSpeed: (what: string, bytes: number, ms: number) => void
}

type Keep = (what: string, bytes: number, below?: number) => void

const modes = ['off', 'consistent', 'proven'] as const

/** Runs every part. @throws BenchError if an answer is wrong */
export async function runMemoryBench(
  plan: MemoryPlan,
  clock: BenchClock,
  progress: (line: string) => void,
): Promise<{ readonly rows: readonly MemoryRow[]; readonly speeds: readonly Speed[] }> {
  const folder = await mkdtemp(join(plan.folder, 'wayleave-bench-ipfs-memory-'))
  const rows: MemoryRow[] = []
  const speeds: Speed[] = []
  const keep: Keep = (what, bytes, below) => {
    rows.push({ what, mb: bytes / 1e6, below })
    progress(`${what}: ${(bytes / 1e6).toFixed(0)} MB`)
  }
  const reportSpeed: Run['reportSpeed'] = (what, bytes, ms) => speeds.push({ what, mbPerSecond: bytes / 1e3 / ms })
  const [file, small] = [join(folder, 'content'), join(folder, 'warm-up')]
  const size = plan.mib * leafBytes
  try {
    await writeContent(file, plan.mib)
    await writeContent(small, 1)
    for (const mode of modes) {
      const data = join(folder, mode)
      await using kubo = plan.kubo === undefined ? undefined : await startKubo(plan.kubo, join(folder, `${mode}-kubo`))
      const gateway = kubo === undefined ? 'gateway' : `gateway over ${kubo.url}`
      const run: Run = { ...plan, clock, gateway, keep, reportSpeed }
      const cid = await largeFile(mode, data, { file, small, size }, run)
      if (mode === modes.at(-1)) {
        await slowReaders(data, cid, run)
        await vanishing(data, { file, size, cid }, run, kubo, progress)
      }
      await rm(data, { recursive: true })
    }
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
  return { rows, speeds }
}

async function largeFile(
  mode: (typeof modes)[number],
  data: string,
  { file, small, size }: { readonly file: string; readonly small: string; readonly size: number },
  { code, gateway: role, keep, reportSpeed }: Run,
): Promise<string> {
  await using gateway = await startWorker(role, data, code)
  await using client = await startWorker(`our client, ${mode}`, '', code)
  const to = gateway.ready
  const first = await client.run('add', { file: small, to })
  await client.run('cat', { cid: first.value, from: to })
  const begun = (await usage(client)).rss
  resetPeak([gateway.pid, client.pid])
  const { value: cid, ms } = await client.run('add', { file, to })
  reportSpeed(`add, verify ${mode}`, size, ms)
  keep(`add, verify ${mode}: peak of the gateway`, peakBytes([gateway.pid]), 200)
  keep(`add, verify ${mode}: growth of the client`, peakBytes([client.pid]) - begun, 64)
  resetPeak([gateway.pid, client.pid])
  const read = await client.run('cat', { cid, from: to })
  if (read.value !== String(size)) throw new BenchError('wrong_answer', `${read.value} of ${size} bytes were read`)
  reportSpeed(`cat, verify ${mode}`, size, read.ms)
  keep(`cat, verify ${mode}: peak of the gateway`, peakBytes([gateway.pid]), 200)
  keep(`cat, verify ${mode}: growth of the client`, peakBytes([client.pid]) - begun, 64)
  return cid
}

async function slowReaders(
  data: string,
  cid: string,
  { readers: count, seconds, code, clock, gateway: role, keep }: Run,
): Promise<void> {
  await using gateway = await startWorker(role, data, code)
  const warm = await openSlowReaders({ url: gateway.ready, cid, count: 5 }, clock)
  await pause(clock, 1_500)
  warm.close()
  const begun = await usage(gateway)
  resetPeak([gateway.pid])
  const readers = await openSlowReaders({ url: gateway.ready, cid, count }, clock)
  await pause(clock, seconds * 1_000)
  const peak = peakBytes([gateway.pid])
  const now = await usage(gateway)
  const each = readers.bytes() / count / seconds
  readers.close()
  keep(`${count} readers at ${(each / 1_000).toFixed(0)} kB/s: growth of the gateway`, peak - begun.rss, 300)
  keep(`${count} readers: what of it lies in buffers`, now.arrayBuffers - begun.arrayBuffers)
}

/** Breaks an upload off. @throws BenchError if something of it is left when the collector is done */
async function vanishing(
  data: string,
  { file, size, cid }: { readonly file: string; readonly size: number; readonly cid: string },
  { code, clock, gateway: role }: Run,
  kubo: Kubo | undefined,
  progress: (line: string) => void,
): Promise<void> {
  await using gateway = await startWorker(kubo === undefined ? 'gateway that collects' : role, data, code)
  await using client = await startWorker('client', '', code)
  const to = gateway.ready
  const kept = (): Promise<number> => (kubo === undefined ? blocksIn(data) : pinsOf(kubo))
  const before = await kept()
  await client.run('leave', { file, to, afterBytes: size / 4 })
  await requireTwoPins(to)
  const { value: rest } = await client.run('cat', { cid, from: to })
  if (rest !== String(size)) throw new BenchError('wrong_answer', 'what was pinned before is not whole')
  let left = (await kept()) - before
  for (let tries = 0; tries < 30 && left > 0; tries++) {
    await pause(clock, 500)
    left = (await kept()) - before
  }
  const what = kubo === undefined ? 'blocks' : 'pins of Kubo'
  progress(`a client left in the middle of its upload: ${left} ${what} more than before, after collection`)
  if (left !== 0) throw new BenchError('wrong_answer', `${left} ${what} are left of an upload that broke off`)
}

async function pinsOf({ url }: Kubo): Promise<number> {
  const answer = await fetch(`${url}/api/v0/pin/ls?type=recursive`, { method: 'POST' })
  return Object.keys(((await answer.json()) as { readonly Keys: object }).Keys).length
}

/** Checks the pins. @throws BenchError if there are others than those of the file and the warm-up. */
async function requireTwoPins(url: string): Promise<void> {
  const { username, password, origin } = new URL(url)
  const authorization = printBasic(username, password)
  const answer = await fetch(`${origin}/api/v0/pin/ls`, { method: 'POST', headers: { authorization } })
  const { Keys } = (await answer.json()) as { Keys: Readonly<Record<string, unknown>> }
  if (Object.keys(Keys).length !== 2)
    throw new BenchError('wrong_answer', `2 pins were expected, ${Object.keys(Keys)} came`)
}

async function blocksIn(data: string): Promise<number> {
  const names = await readdir(join(data, 'ipfs', 'blocks'), { recursive: true })
  return names.filter((name) => /\.(?:data|part)$/.test(name)).length
}

async function usage(worker: Worker): Promise<NodeJS.MemoryUsage> {
  return JSON.parse((await worker.run('memory', {})).value) as NodeJS.MemoryUsage
}

function pause(clock: BenchClock, ms: number): Promise<void> {
  return new Promise((resolve) => void clock.after(ms, resolve))
}
