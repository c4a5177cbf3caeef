import { execFileSync } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { availableParallelism } from 'node:os'
import { join } from 'node:path'
import type { BenchClock } from '../defaults.ts'
import { BenchError } from '../error.ts'
import { cpuNanos, machineNanos, processTree } from '../process-usage.ts'
import { rotate } from '../statistics.ts'
import { leafBytes, writeContent } from './content.ts'
import { openSink } from './sink.ts'
import { type RunningSubject, type Subject, subjects, toNowhere } from './subjects.ts'
import type { Code } from './worker.ts'

interface IpfsPlan {
  /** The size of the content, in MiB. */
  readonly mib: number
  readonly rounds: number
  /** The folder of the content and every store, all on one disk. */
  readonly folder: string
  /** Names of subjects; undefined: all. */
  readonly only?: readonly string[] | undefined
  readonly code: Code
  /** The rest between two rounds. */
  readonly restMs: number
}

/** One measurement. */
interface IpfsSample {
  readonly ms: number
  /** CPU time of the subject, in ms. */
  readonly cpuMs: number
  /** CPU time of the client before it, in ms; 0 if it has none. */
  readonly clientMs: number
  /** The share of the machine that other processes took meanwhile, in percent. */
  readonly foreignPercent: number
}

/** All rounds of one subject. */
export interface IpfsSeries {
  readonly subject: string
  readonly job: 'add' | 'cat'
  /** The series that its ratios refer to. */
  readonly base: string | undefined
  readonly samples: IpfsSample[]
}

export interface IpfsBench {
  readonly series: readonly IpfsSeries[]
  /** Subjects that were left out, and why. */
  readonly missing: readonly (readonly [string, string])[]
}

const warmUpLeaves = 24

/**
 * Adds a file and reads it back with every subject, in interleaved rounds. Each round has new content, new processes, new
 * stores, and a warm-up. @throws BenchError if a subject fails, or two disagree on a CID
 */
export async function runIpfsBench(
  plan: IpfsPlan,
  clock: BenchClock,
  progress: (line: string) => void,
): Promise<IpfsBench> {
  const asked = subjects.filter(({ name }) => plan.only === undefined || plan.only.includes(name))
  const missing = asked.flatMap(({ name, missing: why }) => (why() === undefined ? [] : [[name, why()!] as const]))
  const there = asked.filter(({ missing: why }) => why() === undefined)
  const all = new Map<string, IpfsSeries>()
  const sink = await openSink()
  try {
    for (let round = 0; round < plan.rounds; round++) {
      const folder = await mkdtemp(join(plan.folder, 'wayleave-bench-ipfs-'))
      try {
        const content = { file: join(folder, 'content'), bytes: plan.mib * leafBytes }
        const warmUp = { file: join(folder, 'warm-up'), bytes: warmUpLeaves * leafBytes }
        await writeContent(content.file, plan.mib)
        await writeContent(warmUp.file, warmUpLeaves)
        const cids = new Set<string>()
        for (const subject of rotate(there, round)) {
          const store = await mkdtemp(join(folder, 'store-'))
          await using running = await subject.start(store, plan.code)
          await measureSubject(subject, running, [warmUp, content], sink.port, clock, all, cids)
        }
        if (cids.size > 1) throw new BenchError('wrong_answer', `the subjects disagree: ${[...cids].join(', ')}`)
      } finally {
        await rm(folder, { recursive: true, force: true })
      }
      // ext4 looks at every inode removed in the last 5 s; the next to make files would pay for it.
      if (round + 1 < plan.rounds) await new Promise<void>((resolve) => void clock.after(plan.restMs, resolve))
      progress(`round ${round + 1} of ${plan.rounds}: ${[...all.values()].map((each) => last(each, plan)).join(', ')}`)
    }
  } finally {
    sink.close()
  }
  return { series: [...all.values()], missing }
}

interface Content {
  readonly file: string
  readonly bytes: number
}

async function measureSubject(
  subject: Subject,
  running: RunningSubject,
  contents: readonly [warmUp: Content, content: Content],
  sinkPort: number,
  clock: BenchClock,
  all: Map<string, IpfsSeries>,
  cids: Set<string>,
): Promise<void> {
  const { runner, at } = running
  for (const { file, bytes } of contents) {
    const isMeasured = file === contents[1].file
    const keep = (job: 'add' | 'cat', name: string, base: string | undefined, sample: IpfsSample): void => {
      if (!isMeasured) return
      const series = all.get(`${job} ${name}`) ?? { subject: name, job, base, samples: [] }
      all.set(`${job} ${name}`, series)
      series.samples.push(sample)
    }
    // Writes that earlier subjects left unfinished must not count against this one.
    execFileSync('sync')
    const added = await measure(running, clock, () => runner.run('add', { file, to: at }))
    keep('add', subject.name, subject.base, added.sample)
    if (isMeasured && added.value !== '') cids.add(added.value)
    const cat = async (from: string, name: string, base: string | undefined): Promise<void> => {
      const read = await measure(running, clock, () => runner.run('cat', { cid: added.value, from }))
      if (read.value !== String(bytes))
        throw new BenchError('wrong_answer', `${name} gave ${read.value} of ${bytes} bytes`)
      keep('cat', name, base, read.sample)
    }
    if (subject.cat !== undefined) {
      await cat(at, subject.cat.name, subject.cat.base)
    } else if (subject.name === 'bare loop, durable') {
      await cat('', toNowhere, undefined)
      await cat(String(sinkPort), subject.name, undefined)
    }
  }
}

async function measure(
  { pid, runner }: RunningSubject,
  clock: BenchClock,
  run: () => Promise<{ readonly ms: number; readonly value: string }>,
): Promise<{ readonly value: string; readonly sample: IpfsSample }> {
  const [own, client] = [processTree(pid), runner.pid === pid ? [] : [runner.pid]]
  const used = (): bigint => cpuNanos(own) + cpuNanos(client) + BigInt(Math.round(clock.cpu() * 1e6))
  const before = {
    own: cpuNanos(own),
    client: cpuNanos(client),
    used: used(),
    machine: machineNanos(),
    at: clock.now(),
  }
  const { ms, value } = await run()
  const foreign = Number(machineNanos() - before.machine - (used() - before.used))
  const available = (clock.now() - before.at) * 1e6 * availableParallelism()
  return {
    value,
    sample: {
      ms,
      cpuMs: Number(cpuNanos(own) - before.own) / 1e6,
      clientMs: Number(cpuNanos(client) - before.client) / 1e6,
      foreignPercent: Math.max(0, (100 * foreign) / available),
    },
  }
}

function last({ job, subject, samples }: IpfsSeries, { mib }: IpfsPlan): string {
  return `${job} ${subject} ${((mib * leafBytes) / samples.at(-1)!.ms / 1_000).toFixed(0)} MB/s`
}
