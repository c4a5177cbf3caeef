import { styleText } from 'node:util'
import { sizeText } from '../ipfs/progress-line.ts'
import { alignCells } from '../output/align-cells.ts'
import { oneLine } from '../output/visible.ts'
import type { Overview, Traffic, UpstreamOverview } from './overview.ts'

/** Orders of upstreams: as configured, or the most of something first. */
export const sortings = ['name', 'calls', 'errors', 'p99', 'lag'] as const
export type Sorting = (typeof sortings)[number]

const titles = ['', 'state', 'calls/s', 'errors/s', 'p50', 'p99', 'head', 'lag'] as const
const longestName = 40

/** Prints an overview as lines: a sum, then a table of networks and their upstreams. `stream` decides about colours. */
export function frameOf(overview: Overview, sorting: Sorting, stream: NodeJS.WriteStream): readonly string[] {
  const { phase, degraded, cacheHits, sockets, streams, memoryBytes, cacheBytes } = overview
  const part = (name: string, value: string | undefined): string[] => (value === undefined ? [] : [`${name} ${value}`])
  const sums = [
    `calls/s ${rateText(overview.calls)}`,
    `errors/s ${rateText(overview.errors)}`,
    `p50 ${timeText(overview.p50)}`,
    `p99 ${timeText(overview.p99)}`,
    ...part('cache', cacheHits === undefined ? undefined : `${Math.round(cacheHits * 100)} %`),
    ...part('cached', cacheBytes === undefined ? undefined : sizeText(cacheBytes)),
    `sockets ${sockets}`,
    `streams ${streams}`,
    ...part('memory', memoryBytes === undefined ? undefined : sizeText(memoryBytes)),
  ]
  const rows = overview.networks.flatMap(({ name, state, upstreams, ...traffic }) => [
    { cells: [shown(name), state, ...trafficCells(traffic), '', ''], state, isNetwork: true },
    ...sorted(upstreams, sorting).map((upstream) => ({
      cells: [
        `  ${shown(upstream.name)}`,
        shown(upstream.reason ?? upstream.state),
        ...trafficCells(upstream),
        String(upstream.head ?? '-'),
        String(upstream.lag ?? '-'),
      ],
      state: upstream.state,
      isNetwork: false,
    })),
  ])
  const [head, ...lines] = alignCells(
    rows.map(({ cells }) => cells),
    titles.map((title, i) => ({ title, right: i > 1 })),
  )
  const wrong =
    degraded.length === 0 ? [] : [styleText('yellow', `degraded: ${degraded.map(shown).join(', ')}`, { stream })]
  return [
    `${shown(phase)}  ${sums.join('  ')}`,
    ...wrong,
    '',
    styleText('bold', head!, { stream }),
    ...rows.map(({ state, isNetwork }, i) => {
      const text = lines[i]!
      if (state === 'down' || state === 'open') return styleText('red', text, { stream })
      if (state !== 'ok' && state !== '-') return styleText('yellow', text, { stream })
      return isNetwork ? styleText('bold', text, { stream }) : text
    }),
  ]
}

/** Prints a line for each network, with tabs between: time, network, state, calls/s, errors/s, p50 and p99 in ms, upstreams that are ok, all. */
export function plainLines({ networks }: Overview, time: string): string {
  return networks
    .map(({ name, state, upstreams, calls, errors, p50, p99 }) => {
      const isOk = upstreams.filter((upstream) => upstream.state === 'ok').length
      const numbers = [calls, errors, p50, p99].map((value) =>
        value === undefined ? '-' : String(Number(value.toFixed(2))),
      )
      return `${[time, oneLine(name), state, ...numbers, isOk, upstreams.length].join('\t')}\n`
    })
    .join('')
}

function sorted(upstreams: readonly UpstreamOverview[], sorting: Sorting): readonly UpstreamOverview[] {
  return sorting === 'name' ? upstreams : upstreams.toSorted((a, b) => (b[sorting] ?? 0) - (a[sorting] ?? 0))
}

function trafficCells({ calls, errors, p50, p99 }: Traffic): readonly string[] {
  return [rateText(calls), rateText(errors), timeText(p50), timeText(p99)]
}

function rateText(rate: number): string {
  return rate === 0 ? '0' : rate < 10 ? rate.toFixed(1) : String(Math.round(rate))
}

function timeText(ms: number | undefined): string {
  if (ms === undefined) return '-'
  return ms < 10 ? `${ms.toFixed(1)} ms` : ms < 10_000 ? `${Math.round(ms)} ms` : `${(ms / 1_000).toFixed(1)} s`
}

function shown(text: string): string {
  const line = oneLine(text)
  return line.length > longestName ? `${line.slice(0, longestName - 1)}…` : line
}
