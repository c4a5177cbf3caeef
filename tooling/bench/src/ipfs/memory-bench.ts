import { mkdtemp, readdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import type { BenchClock } from '../defaults.ts'
import { BenchError } from '../error.ts'
import { peakBytes, resetPeak } from '../process-usage.ts'
import { leafBytes, writeContent } from './content.ts'
import { openSlowReaders } from './slow-readers.ts'
import { type Code, startWorker, type Worker } from './worker.ts'

interface MemoryPlan {
  readonly mib: number
  readonly readers: number
  /** How long they read. */
  readonly seconds: number
  readonly folder: string
  readonly code: Code
}

/** One thing that was asked for, in MB (10^6). */
interface MemoryRow {
  readonly what: string
  readonly mb: number
  /** undefined: it is told, and not judged. */
  readonly below: number | undefined
}

type Keep = (what: string, bytes: number, below?: number) => void

const modes = ['off', 'consistent', 'proven'] as const

/** @throws BenchError where an answer is wrong */
export async function runMemoryBench(
  plan: MemoryPlan,
  clock: BenchClock,
  progress: (line: string) => void,
): Promise<readonly MemoryRow[]> {
  const folder = await mkdtemp(join(plan.folder, 'wayleave-bench-ipfs-memory-'))
  const rows: MemoryRow[] = []
  const keep: Keep = (what, bytes, below) => {
    rows.push({ what, mb: bytes / 1e6, below })
    progress(`${what}: ${(bytes / 1e6).toFixed(0)} MB`)
  }
  try {
    const [file, small] = [join(folder, 'content'), join(folder, 'warm-up')]
    await writeContent(file, plan.mib)
    await writeContent(small, 1)
    const size = plan.mib * leafBytes
    let cid = ''
    for (const mode of modes) {
      const data = join(folder, mode)
      cid = await largeFile(mode, data, { file, small, size }, plan, keep)
      if (mode !== modes.at(-1)) await rm(data, { recursive: true })
    }

    const last = join(folder, modes.at(-1)!)
    await slowReaders(last, cid, plan, clock, keep)
    const left = await vanishing(last, file, size, cid, plan.code, clock)
    progress(`a client left in the middle of its upload: ${left} blocks more than before, after collection`)
    if (left !== 0)
      throw new BenchError('wrong_answer', `${left} blocks of an upload that broke off were not collected`)
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
  return rows
}

async function largeFile(
  mode: (typeof modes)[number],
  data: string,
  { file, small, size }: { readonly file: string; readonly small: string; readonly size: number },
  { code }: MemoryPlan,
  keep: Keep,
): Promise<string> {
  await using gateway = await startWorker('gateway', data, code)
  await using client = await startWorker(`our client, ${mode}`, '', code)
  const to = gateway.ready
  const first = await client.run('add', { file: small, to })
  await client.run('cat', { cid: first.value, from: to })
  const begun = (await usage(client)).rss
  resetPeak([gateway.pid, client.pid])
  const { value: cid } = await client.run('add', { file, to })
  keep(`add, verify ${mode}: peak of the gateway`, peakBytes([gateway.pid]), 200)
  keep(`add, verify ${mode}: growth of the client`, peakBytes([client.pid]) - begun, 64)
  resetPeak([gateway.pid, client.pid])
  const read = await client.run('cat', { cid, from: to })
  if (read.value !== String(size)) throw new BenchError('wrong_answer', `${read.value} of ${size} bytes were read`)
  keep(`cat, verify ${mode}: peak of the gateway`, peakBytes([gateway.pid]), 200)
  keep(`cat, verify ${mode}: growth of the client`, peakBytes([client.pid]) - begun, 64)
  return cid
}

async function slowReaders(
  data: string,
  cid: string,
  { readers: count, seconds, code }: MemoryPlan,
  clock: BenchClock,
  keep: Keep,
): Promise<void> {
  await using gateway = await startWorker('gateway', data, code)
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

/** Breaks an upload off, and tells how many blocks are left of it when nothing is removed any more. */
async function vanishing(
  data: string,
  file: string,
  size: number,
  cid: string,
  code: Code,
  clock: BenchClock,
): Promise<number> {
  await using gateway = await startWorker('gateway that collects', data, code)
  await using client = await startWorker('client', '', code)
  const to = gateway.ready
  const before = await blocksIn(data)
  await client.run('leave', { file, to, afterBytes: size / 4 })
  await requireTwoPins(to)
  const { value: rest } = await client.run('cat', { cid, from: to })
  if (rest !== String(size)) throw new BenchError('wrong_answer', 'what was pinned before is not whole')
  let left = (await blocksIn(data)) - before
  for (let tries = 0; tries < 30 && left > 0; tries++) {
    await pause(clock, 500)
    left = (await blocksIn(data)) - before
  }
  return left
}

/** @throws BenchError where there are others than that of the file and the warm-up. */
async function requireTwoPins(url: string): Promise<void> {
  const { username, password, origin } = new URL(url)
  const authorization = `Basic ${Buffer.from(`${username}:${password}`).toString('base64')}`
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
