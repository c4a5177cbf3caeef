import type { JSX } from 'preact'
import { useEffect, useId, useRef, useState } from 'preact/hooks'
import uPlot from 'uplot'
import { colourOf, paint } from '../theme.ts'
import { count } from '../text/format.ts'
import { Scroll } from './scroll.tsx'

/** One line of a chart. */
interface ChartSeries {
  readonly name: string
  /** A custom colour property, such as `--accent`. */
  readonly colour: string
  /** One for each place of x; null leaves a gap. */
  readonly values: readonly (number | null)[]
  readonly kind?: 'line' | 'area' | 'bars' | 'steps'
  readonly isDashed?: boolean
  /** The name of a later series: what lies between is filled. */
  readonly fillTo?: string
}

export interface ChartProps {
  /** What it shows, for who cannot see it. */
  readonly label: string
  /** Ascending; times are Unix times in ms. */
  readonly x: readonly number[]
  readonly isTime?: boolean
  /** The least and the most x to show; default: those there are. */
  readonly range?: readonly [number, number]
  readonly series: readonly ChartSeries[]
  readonly format: (value: number) => string
  readonly formatX: (x: number) => string
  readonly height?: number
  /** The most y to show at least. */
  readonly least?: number
  /** The most y there can be. */
  readonly most?: number
  /** Whether y begins at the least value, not at 0. */
  readonly isFloating?: boolean
  /** Charts of one name show their cursors at the same x. */
  readonly sync?: string
}

const longestTable = 200

/** Lines over time or blocks, with a legend that tells the values under the cursor, and the same as a table. */
export function Chart(props: ChartProps): JSX.Element {
  const { label, x, series, format, formatX, height = 176 } = props
  const place = useRef<HTMLDivElement>(null)
  const plot = useRef<uPlot | undefined>(undefined)
  const latest = useRef(props)
  latest.current = props
  const [at, setAt] = useState<number | undefined>()
  const [isTable, setTable] = useState(false)
  const id = useId()
  const shape = series
    .map(({ name, colour, kind, isDashed, fillTo }) => [name, colour, kind, isDashed, fillTo].join())
    .join()
  const colours = paint.value

  useEffect(() => {
    const element = place.current!
    plot.current = new uPlot(optionsOf(latest, element.clientWidth, height, setAt), dataOf(latest.current), element)
    const observer = new ResizeObserver(() => plot.current?.setSize({ width: element.clientWidth, height }))
    observer.observe(element)
    return () => {
      observer.disconnect()
      plot.current?.destroy()
      plot.current = undefined
    }
  }, [shape, colours, height])

  useEffect(() => plot.current?.setData(dataOf(latest.current)), [x, series])

  const shown = at !== undefined && at < x.length ? at : x.length - 1
  return (
    <figure class="chart">
      <figcaption class="chart-head">
        <span class="legend">
          {series.map(({ name, colour, values, isDashed = false }) => (
            <span key={name} class="legend-item">
              <span class={`legend-key ${isDashed ? 'dashed' : ''} key${colour.replaceAll('--', '-')}`} />
              {name} <b>{printed(values[shown], format)}</b>
            </span>
          ))}
        </span>
        <span class="chart-at">{at === undefined || x[shown] === undefined ? '' : formatX(x[shown])}</span>
        <button
          type="button"
          class="link small"
          aria-label={`${isTable ? 'Hide table' : 'As table'}: ${label}`}
          aria-expanded={isTable}
          aria-controls={id}
          onClick={() => setTable(!isTable)}
        >
          {isTable ? 'Hide table' : 'As table'}
        </button>
      </figcaption>
      <div ref={place} class="plot" role="img" aria-label={`${label}. ${summaryOf(props)}`} />
      <div id={id}>{isTable && <ChartTable {...props} />}</div>
    </figure>
  )
}

function ChartTable({ label, x, series, format, formatX, isTime = false }: ChartProps): JSX.Element {
  const first = Math.max(0, x.length - longestTable)
  return (
    <div class="chart-table" role="region" aria-label={`${label}, as a table`} tabIndex={0}>
      <Scroll label={label}>
        <table class="table plain">
          <caption class="unseen">{label}</caption>
          <thead>
            <tr>
              <th scope="col">{isTime ? 'Time' : 'Block'}</th>
              {series.map(({ name }) => (
                <th key={name} scope="col" class="number">
                  {name}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {x
              .map((value, i) => (
                <tr key={value}>
                  <th scope="row">{formatX(value)}</th>
                  {series.map(({ name, values }) => (
                    <td key={name} class="number">
                      {printed(values[i], format)}
                    </td>
                  ))}
                </tr>
              ))
              .slice(first)
              .toReversed()}
          </tbody>
        </table>
      </Scroll>
    </div>
  )
}

function printed(value: number | null | undefined, format: (value: number) => string): string {
  return value === null || value === undefined ? '–' : format(value)
}

/** Tells the last, the least and the most value of each line. */
function summaryOf({ series, format }: ChartProps): string {
  return series
    .map(({ name, values }) => {
      const there = values.filter((value) => value !== null)
      if (there.length === 0) return `${name}: no values.`
      const [low, high] = [Math.min(...there), Math.max(...there)]
      return `${name}: ${format(there.at(-1)!)} at the end, ${format(low)} to ${format(high)}.`
    })
    .join(' ')
}

function dataOf({ x, series, isTime = false }: ChartProps): uPlot.AlignedData {
  const places = isTime ? x.map((value) => value / 1_000) : [...x]
  return [places, ...series.map(({ values }) => [...values])]
}

function optionsOf(
  latest: { readonly current: ChartProps },
  width: number,
  height: number,
  onCursor: (at: number | undefined) => void,
): uPlot.Options {
  const { series, isTime = false, isFloating = false, sync } = latest.current
  const [line, text] = [colourOf('--line'), colourOf('--muted')]
  const font = '11px system-ui, sans-serif'
  const axis = { stroke: text, font, grid: { stroke: line, width: 1 }, ticks: { show: false } }
  return {
    width,
    height,
    ms: 1e-3,
    // A label of the last x stands half beyond it, and those of blocks are long.
    padding: [8, isTime ? 18 : 36, 0, 0],
    legend: { show: false },
    cursor: {
      y: false,
      points: { size: 6 },
      drag: { x: false, y: false },
      ...(sync !== undefined && { sync: { key: sync } }),
    },
    scales: {
      x: {
        time: isTime,
        range: (_plot, low, high) => {
          const [from, to] = latest.current.range ?? []
          if (from === undefined || to === undefined) return [low, high]
          return isTime ? [from / 1_000, to / 1_000] : [from, to]
        },
      },
      y: {
        range: (_plot, low, high) => {
          const { least = 0, most } = latest.current
          if (most !== undefined) return [0, most]
          const top = Math.max(high ?? 0, least)
          if (!isFloating) return [0, top === 0 ? 1 : top * 1.1]
          const room = (top - (low ?? 0)) * 0.1 || top * 0.1 || 1
          return [Math.max(0, (low ?? 0) - room), top + room]
        },
      },
    },
    axes: [
      {
        ...axis,
        size: 24,
        gap: 6,
        ...(isTime
          ? { values: timeLabels }
          : { values: (_plot, values) => values.map((value) => count(value)), space: 96 }),
      },
      {
        ...axis,
        size: (_plot, values) => 12 + Math.max(0, ...(values ?? []).map((value) => value.length)) * 6.4,
        gap: 6,
        values: (_plot, values) => values.map((value) => latest.current.format(value)),
      },
    ],
    series: [{}, ...series.map((each) => seriesOf(each))],
    bands: series.flatMap(({ fillTo, colour }, i) => {
      const to = series.findIndex(({ name }) => name === fillTo)
      return to < 0 ? [] : [{ series: [i + 1, to + 1] as [number, number], fill: colourOf(`${colour}-area`) }]
    }),
    hooks: { setCursor: [({ cursor: { idx, left = -1 } }) => onCursor(left < 0 ? undefined : (idx ?? undefined))] },
  }
}

function seriesOf({ colour, kind = 'line', isDashed = false }: ChartSeries): uPlot.Series {
  const stroke = colourOf(colour)
  const fill = kind === 'area' || kind === 'bars' ? colourOf(`${colour}-area`) : undefined
  return {
    stroke,
    width: 1.5,
    points: { show: true, size: 4, width: 0, fill: stroke, filter: aloneIn },
    ...(fill !== undefined && { fill }),
    ...(isDashed && { dash: [4, 4] }),
    ...(kind === 'bars' && { paths: uPlot.paths.bars!({ size: [0.7, 24], align: 1 }) }),
    ...(kind === 'steps' && { paths: uPlot.paths.stepped!({ align: 1 }) }),
  }
}

/** The places of values that have no neighbours: no line leads to them. */
function aloneIn(plot: uPlot, series: number): number[] {
  const values = plot.data[series]!
  const isThere = (i: number): boolean => values[i] !== null && values[i] !== undefined
  return Array.from(values.keys()).filter((i) => isThere(i) && !isThere(i - 1) && !isThere(i + 1))
}

const twoDigits = (value: number): string => String(value).padStart(2, '0')
const months = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec']

function timeLabels(_plot: uPlot, values: number[], _axis: number, _space: number, step: number): string[] {
  return values.map((value) => {
    // oxlint-disable-next-line no-restricted-globals -- reads no clock
    const moment = new Date(value * 1_000)
    if (step >= 86_400) return `${moment.getDate()} ${months[moment.getMonth()]}`
    const time = `${twoDigits(moment.getHours())}:${twoDigits(moment.getMinutes())}`
    if (step < 60) return `${time}:${twoDigits(moment.getSeconds())}`
    return time === '00:00' ? `${moment.getDate()} ${months[moment.getMonth()]}` : time
  })
}
