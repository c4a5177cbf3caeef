import { execFileSync } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { Agent, type IncomingMessage, request } from 'node:http'
import { join } from 'node:path'
import type { BenchClock } from '../defaults.ts'
import { BenchError } from '../error.ts'
import { cpuNanos, processTree } from '../process-usage.ts'
import { rotate } from '../statistics.ts'
import { findKubo, startKubo } from './kubo.ts'
import { archiveBody, contentType, fileBody, filesBody } from './small-content.ts'
import { type Code, startWorker } from './worker.ts'

export interface SmallPlan {
  readonly files: number
  readonly blocks: number
  readonly rounds: number
  /** Reads of 64 files of 1 MB, all at once, each. */
  readonly reads: number
  readonly folder: string
  readonly code: Code
  readonly jobs: readonly SmallJob[]
}

export const smallJobs = ['add', 'dag/import', 'cat'] as const
export type SmallJob = (typeof smallJobs)[number]

/** The times of one subject at one job, a round each, in ms. */
export interface SmallSeries {
  readonly subject: SmallSubject
  readonly job: SmallJob
  readonly ms: number[]
  /** CPU time of the subject, in ms. */
  readonly cpuMs: number[]
}

const smallSubjects = ['server', 'Kubo, synced', 'Kubo'] as const
type SmallSubject = (typeof smallSubjects)[number]

interface Running extends AsyncDisposable {
  readonly pid: number
  readonly url: string
}

/** Files that are read at once. */
const readers = 64
const readBytes = 1_000_000

/**
 * Adds small files, imports small blocks and reads many files at once with our server and Kubo, in interleaved rounds: new content, stores and
 * processes for each round. Files are read from our whole gateway, with keys, and its ledger on the disk. @throws BenchError where a subject
 * refuses
 */
export async function runSmallBench(
  plan: SmallPlan,
  clock: BenchClock,
  progress: (line: string) => void,
): Promise<readonly SmallSeries[]> {
  const hasKubo = 'path' in findKubo()
  const all = smallSubjects.flatMap((subject) => {
    if (subject !== 'server' && !hasKubo) return []
    // Kubo reads alike, however it writes.
    const jobs = plan.jobs.filter((job) => job !== 'cat' || subject !== 'Kubo, synced')
    return jobs.map((job): SmallSeries => ({ subject, job, ms: [], cpuMs: [] }))
  })
  for (let round = 0; round < plan.rounds; round++) {
    const folder = await mkdtemp(join(plan.folder, 'wayleave-bench-small-'))
    try {
      const bodies = { add: filesBody(plan.files), 'dag/import': archiveBody(plan.blocks) }
      const warmUps = { add: filesBody(200), 'dag/import': archiveBody(200) }
      for (const series of rotate(all, round)) {
        const { job } = series
        await using running = await start(series.subject, job, await mkdtemp(join(folder, 'store-')), plan.code)
        const { url } = running
        const cids = job === 'cat' ? await addLarge(url) : []
        const run = (isWarmUp: boolean): Promise<unknown> =>
          job === 'cat'
            ? readAll(url, cids, isWarmUp ? 1 : plan.reads)
            : post(url, job, (isWarmUp ? warmUps : bodies)[job])
        await run(true)
        execFileSync('sync')
        const pids = processTree(running.pid)
        const [begin, cpu] = [clock.now(), cpuNanos(pids)]
        await run(false)
        series.ms.push(clock.now() - begin)
        series.cpuMs.push(Number(cpuNanos(pids) - cpu) / 1e6)
        progress(
          `round ${round + 1} of ${plan.rounds}: ${series.job} ${series.subject} ${series.ms.at(-1)!.toFixed(0)} ms`,
        )
      }
    } finally {
      await rm(folder, { recursive: true, force: true })
    }
  }
  return all
}

async function start(subject: SmallSubject, job: SmallJob, folder: string, code: Code): Promise<Running> {
  if (subject !== 'server') return startKubo((findKubo() as { readonly path: string }).path, folder, subject !== 'Kubo')
  const worker = await startWorker(job === 'cat' ? 'gateway' : 'server', join(folder, 'blocks'), code)
  return { pid: worker.pid, url: worker.ready, [Symbol.asyncDispose]: worker[Symbol.asyncDispose] }
}

/** Adds files of 1 MB, and returns their CIDs. */
async function addLarge(url: string): Promise<readonly string[]> {
  const cids: string[] = []
  for (let i = 0; i < readers; i++) {
    const line = await post(url, 'add', fileBody(randomBytes(readBytes)))
    cids.push((JSON.parse(line) as { readonly Hash: string }).Hash)
  }
  return cids
}

/** Reads all files at once, that many times. */
async function readAll(url: string, cids: readonly string[], times: number): Promise<void> {
  using agent = Object.assign(new Agent({ keepAlive: true }), { [Symbol.dispose]: () => agent.destroy() })
  const read = async (cid: string): Promise<void> => {
    const call = request(`${url}/api/v0/cat?arg=${cid}`, { method: 'POST', agent }).end()
    const [response] = (await once(call, 'response')) as [IncomingMessage]
    let bytes = 0
    response.on('data', (part: Buffer) => (bytes += part.length))
    await once(response, 'end')
    if (response.statusCode === 200 && bytes === readBytes) return
    throw new BenchError('wrong_answer', `cat was answered ${response.statusCode}, with ${bytes} bytes`)
  }
  for (let i = 0; i < times; i++) await Promise.all(cids.map(read))
}

/** Sends a body, and returns the end of the answer. */
async function post(url: string, job: 'add' | 'dag/import', body: Buffer): Promise<string> {
  const call = request(`${url}/api/v0/${job}`, {
    method: 'POST',
    headers: { 'content-type': contentType, 'content-length': body.length },
  })
  call.end(body)
  const [response] = (await once(call, 'response')) as [IncomingMessage]
  let last = ''
  for await (const chunk of response.setEncoding('utf8')) last = (last + String(chunk)).slice(-1_000)
  if (response.statusCode === 200 && response.trailers['x-stream-error'] === undefined) return last
  throw new BenchError('wrong_answer', `${job} was answered ${response.statusCode}: ${last}`)
}
