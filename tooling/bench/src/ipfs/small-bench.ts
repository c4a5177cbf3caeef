import { execFileSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { type IncomingMessage, request } from 'node:http'
import { join } from 'node:path'
import type { BenchClock } from '../defaults.ts'
import { BenchError } from '../error.ts'
import { cpuNanos, processTree } from '../process-usage.ts'
import { rotate } from '../statistics.ts'
import { findKubo, startKubo } from './kubo.ts'
import { archiveBody, contentType, filesBody } from './small-content.ts'
import { type Code, startWorker } from './worker.ts'

export interface SmallPlan {
  readonly files: number
  readonly blocks: number
  readonly rounds: number
  readonly folder: string
  readonly code: Code
}

/** The times of one subject at one job, a round each, in ms. */
export interface SmallSeries {
  readonly subject: SmallSubject
  readonly job: 'add' | 'dag/import'
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

/**
 * Adds small files and imports small blocks with our server and Kubo, in interleaved rounds: new content, stores and processes for
 * each round. @throws BenchError where a subject refuses
 */
export async function runSmallBench(
  plan: SmallPlan,
  clock: BenchClock,
  progress: (line: string) => void,
): Promise<readonly SmallSeries[]> {
  const hasKubo = 'path' in findKubo()
  const all = smallSubjects.flatMap((subject) => {
    if (subject !== 'server' && !hasKubo) return []
    return (['add', 'dag/import'] as const).map((job): SmallSeries => ({ subject, job, ms: [], cpuMs: [] }))
  })
  for (let round = 0; round < plan.rounds; round++) {
    const folder = await mkdtemp(join(plan.folder, 'wayleave-bench-small-'))
    try {
      const bodies = { add: filesBody(plan.files), 'dag/import': archiveBody(plan.blocks) }
      const warmUps = { add: filesBody(200), 'dag/import': archiveBody(200) }
      for (const series of rotate(all, round)) {
        await using running = await start(series.subject, await mkdtemp(join(folder, 'store-')), plan.code)
        await post(running.url, series.job, warmUps[series.job])
        execFileSync('sync')
        const pids = processTree(running.pid)
        const [begin, cpu] = [clock.now(), cpuNanos(pids)]
        await post(running.url, series.job, bodies[series.job])
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

async function start(subject: SmallSubject, folder: string, code: Code): Promise<Running> {
  if (subject !== 'server') return startKubo((findKubo() as { readonly path: string }).path, folder, subject !== 'Kubo')
  const worker = await startWorker('server', join(folder, 'blocks'), code)
  return { pid: worker.pid, url: worker.ready, [Symbol.asyncDispose]: worker[Symbol.asyncDispose] }
}

/** Sends a body, and reads the answer to its end. */
async function post(url: string, job: SmallSeries['job'], body: Buffer): Promise<void> {
  const call = request(`${url}/api/v0/${job}`, {
    method: 'POST',
    headers: { 'content-type': contentType, 'content-length': body.length },
  })
  call.end(body)
  const [response] = (await once(call, 'response')) as [IncomingMessage]
  let last = ''
  for await (const chunk of response.setEncoding('utf8')) last = (last + String(chunk)).slice(-1_000)
  if (response.statusCode === 200 && response.trailers['x-stream-error'] === undefined) return
  throw new BenchError('wrong_answer', `${job} was answered ${response.statusCode}: ${last}`)
}
