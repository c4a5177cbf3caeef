import { pairedRatios, summarise, type Summary } from '../statistics.ts'
import { printTable } from '../table.ts'
import { leafBytes } from './content.ts'
import type { IpfsBench, IpfsSeries } from './ipfs-bench.ts'
import { helia } from './subjects.ts'

/** One subject's figures. */
interface IpfsFigures {
  readonly subject: string
  readonly job: 'add' | 'cat'
  /** 10^6 bytes a second. */
  readonly mbPerSecond: Summary
  /** Seconds of CPU for a GiB: the subject's, and those of the client before it. */
  readonly cpuPerGib: Summary
  readonly clientPerGib: Summary
  /** Ratios to the bare loop of the same round: in bytes a second, and in bytes for a second of CPU. */
  readonly ratio: Summary | undefined
  readonly cpuRatio: Summary | undefined
  readonly foreignPercent: Summary
}

/** Least share of the bare loop's bytes a second. */
const leastShare = 0.8
/** The subjects whose share is judged by a bar. */
const judged: ReadonlySet<string> = new Set(['local backend', 'server', 'server and client in one process'])
/** The pairs that are compared: both start from the file, or both are asked by the same client. */
const pairs: readonly (readonly [job: 'add' | 'cat', ours: string, theirs: string])[] = [
  ['add', 'local backend', helia.addDurably],
  ['add', 'local backend', helia.add],
  ['add', 'server', 'Kubo, synced'],
  ['add', 'server', 'Kubo'],
  ['cat', 'local backend', helia.cat],
  ['cat', 'server', 'Kubo, synced'],
  ['cat', 'server', 'Kubo'],
]

export function figuresOf({ series }: IpfsBench, mib: number): readonly IpfsFigures[] {
  const bytes = mib * leafBytes
  const gib = mib / 1024
  return series.map(({ subject, job, base, samples }) => {
    const bare = series.find((each) => each.job === job && each.subject === base)
    const ratio = (of: (sample: IpfsSeries['samples'][number]) => number): Summary | undefined =>
      bare === undefined ? undefined : summarise(pairedRatios(bare.samples.map(of), samples.map(of)))
    return {
      subject,
      job,
      mbPerSecond: summarise(samples.map(({ ms }) => bytes / ms / 1_000)),
      cpuPerGib: summarise(samples.map(({ cpuMs }) => cpuMs / 1_000 / gib)),
      clientPerGib: summarise(samples.map(({ clientMs }) => clientMs / 1_000 / gib)),
      ratio: ratio(({ ms }) => ms),
      cpuRatio: ratio(({ cpuMs }) => cpuMs),
      foreignPercent: summarise(samples.map(({ foreignPercent }) => foreignPercent)),
    }
  })
}

/** Prints the tables, as Markdown that also reads well as plain text. */
export function printIpfs(bench: IpfsBench, mib: number): string {
  const figures = figuresOf(bench, mib)
  const table = (job: 'add' | 'cat'): string =>
    printTable(
      [
        job,
        'MB/s',
        'CPU s/GiB',
        'client CPU s/GiB',
        'MB/s ÷ bare',
        'bytes per CPU ÷ bare',
        `at least ${leastShare}`,
        'others took',
      ],
      figures.filter((each) => each.job === job).map(row),
    )
  const missing = bench.missing.map(([name, why]) => `- ${name} was left out: ${why}.`)
  const others = pairs.flatMap((pair) => compare(bench, ...pair))
  const faster = printTable(['', 'against', 'MB/s ÷ theirs', 'bytes per CPU ÷ theirs', 'faster'], others)
  return [
    table('add'),
    table('cat'),
    ...(others.length === 0 ? [] : [faster]),
    ...(missing.length === 0 ? [] : [missing.join('\n')]),
  ].join('\n\n')
}

/** Prints a row if both were measured. */
function compare({ series }: IpfsBench, job: 'add' | 'cat', ours: string, theirs: string): string[][] {
  const [own, other] = [ours, theirs].map((name) => series.find((each) => each.job === job && each.subject === name))
  if (own === undefined || other === undefined) return []
  const ratio = (of: (sample: IpfsSeries['samples'][number]) => number): Summary =>
    summarise(pairedRatios(other.samples.map(of), own.samples.map(of)))
  const speed = ratio(({ ms }) => ms)
  const cpu = ratio(({ cpuMs }) => cpuMs)
  return [[`${job}: ${ours}`, theirs, spread(speed, 2), spread(cpu, 2), isFaster(speed)]]
}

/** Says whether ours is faster, as far as every round agrees. */
function isFaster({ min, max }: Summary): string {
  if (min > 1) return 'yes'
  return max < 1 ? 'no' : 'not shown'
}

function row({
  subject,
  mbPerSecond,
  cpuPerGib,
  clientPerGib,
  ratio,
  cpuRatio,
  foreignPercent,
}: IpfsFigures): string[] {
  const isJudged = judged.has(subject) && ratio !== undefined
  return [
    subject,
    spread(mbPerSecond, 0),
    spread(cpuPerGib, 2),
    clientPerGib.max === 0 ? '' : clientPerGib.median.toFixed(2),
    ratio === undefined ? '' : spread(ratio, 2),
    cpuRatio === undefined ? '' : spread(cpuRatio, 2),
    isJudged ? (ratio.median >= leastShare ? 'met' : 'not met') : '',
    `${foreignPercent.median.toFixed(0)} %`,
  ]
}

function spread({ median, min, max }: Summary, digits: number): string {
  return `${median.toFixed(digits)} (${min.toFixed(digits)} to ${max.toFixed(digits)})`
}
