import { pairedRatios, summarise } from '../statistics.ts'
import { printTable } from '../table.ts'
import type { SmallPlan, SmallSeries } from './small-bench.ts'

/** The longest time for small files, as a multiple of Kubo's with its sync on. */
const mostOfKubo = 1.5

/** Prints the series as a table. Ratios are of paired rounds. */
export function printSmall(
  series: readonly SmallSeries[],
  { files, blocks }: Pick<SmallPlan, 'files' | 'blocks'>,
): string {
  const rows = series.map(({ subject, job, ms, cpuMs }) => {
    const ratioTo = (other: SmallSeries['subject']): ReturnType<typeof summarise> | undefined => {
      const base = series.find((each) => each.job === job && each.subject === other)
      return subject !== 'server' || base === undefined ? undefined : summarise(pairedRatios(ms, base.ms))
    }
    const [synced, usual] = [ratioTo('Kubo, synced'), ratioTo('Kubo')]
    return [
      job === 'add' ? `add, ${files} files` : `dag/import, ${blocks} blocks`,
      subject,
      spread(summarise(ms), 0),
      summarise(cpuMs).median.toFixed(0),
      synced === undefined ? '' : spread(synced, 2),
      usual === undefined ? '' : spread(usual, 2),
      synced === undefined ? '' : synced.median <= mostOfKubo ? 'met' : 'not met',
    ]
  })
  const header = ['job', 'subject', 'ms', 'CPU ms', '÷ Kubo, synced', '÷ Kubo', `at most ${mostOfKubo}`]
  return printTable(
    header,
    rows.toSorted(([a], [b]) => a!.localeCompare(b!)),
  )
}

function spread({ median, min, max }: ReturnType<typeof summarise>, digits: number): string {
  return `${median.toFixed(digits)} (${min.toFixed(digits)} to ${max.toFixed(digits)})`
}
