import { pairedRatios, summarise } from '../statistics.ts'
import { printTable } from '../table.ts'
import type { SmallJob, SmallPlan, SmallSeries } from './small-bench.ts'

type Summary = ReturnType<typeof summarise>

/** Ratios of paired rounds. */
interface Ratios {
  readonly toSynced: Summary | undefined
  readonly toUsual: Summary | undefined
  readonly cpuToUsual: Summary | undefined
}

/** The bar of each job: which ratio, and its most. */
const bars: Readonly<Record<SmallJob, { readonly of: keyof Ratios; readonly most: number }>> = {
  add: { of: 'toUsual', most: 1.5 },
  'dag/import': { of: 'toSynced', most: 1 },
  cat: { of: 'cpuToUsual', most: 1 },
}

const names: Readonly<Record<keyof Ratios, string>> = {
  toSynced: '÷ Kubo, synced',
  toUsual: '÷ Kubo',
  cpuToUsual: 'CPU ÷ Kubo',
}

/** Prints the series as a table. Ratios are of paired rounds. */
export function printSmall(
  series: readonly SmallSeries[],
  { files, blocks, reads }: Pick<SmallPlan, 'files' | 'blocks' | 'reads'>,
): string {
  const titles: Readonly<Record<SmallJob, string>> = {
    add: `add, ${files} files`,
    'dag/import': `dag/import, ${blocks} blocks`,
    cat: `cat, 64 at once, ${reads} times`,
  }
  const rows = series.map(({ subject, job, ms, cpuMs }) => {
    const ratioTo = (other: SmallSeries['subject'], of: 'ms' | 'cpuMs'): Summary | undefined => {
      const base = series.find((each) => each.job === job && each.subject === other)
      return subject !== 'server' || base === undefined
        ? undefined
        : summarise(pairedRatios(of === 'ms' ? ms : cpuMs, base[of]))
    }
    const ratios: Ratios = {
      toSynced: ratioTo('Kubo, synced', 'ms'),
      toUsual: ratioTo('Kubo', 'ms'),
      cpuToUsual: ratioTo('Kubo', 'cpuMs'),
    }
    const { of, most } = bars[job]
    const ratio = ratios[of]
    return [
      titles[job],
      subject,
      spread(summarise(ms), 0),
      summarise(cpuMs).median.toFixed(0),
      ...Object.keys(names).map((name) => {
        const found = ratios[name as keyof Ratios]
        return found === undefined ? '' : spread(found, 2)
      }),
      ratio === undefined ? '' : `${names[of]} at most ${most}: ${ratio.median <= most ? 'met' : 'not met'}`,
    ]
  })
  const header = ['job', 'subject', 'ms', 'CPU ms', ...Object.values(names), 'bar']
  return printTable(
    header,
    rows.toSorted(([a], [b]) => a!.localeCompare(b!)),
  )
}

function spread({ median, min, max }: Summary, digits: number): string {
  return `${median.toFixed(digits)} (${min.toFixed(digits)} to ${max.toFixed(digits)})`
}
