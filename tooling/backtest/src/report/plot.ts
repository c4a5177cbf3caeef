import type { FeeLevel, FeePromise } from '@wayleave/gas-fees'
import { judges } from '../judge.ts'
import { type Measurement, missedAfter } from '../measurement.ts'

/** The data of a plot. */
export interface PlotInput {
  readonly markets: readonly { readonly name: string; readonly kind: string }[]
  readonly promises: Readonly<Record<FeeLevel, FeePromise>>
  readonly measurements: readonly Measurement[]
}

const columns = 3
const panel = { width: 300, height: 214, left: 52, top: 30, right: 12, bottom: 36 }
const plotWidth = panel.width - panel.left - panel.right
const plotHeight = panel.height - panel.top - panel.bottom
const head = 92

/** Both axes are logarithmic between these shares; points beyond are drawn at the end. */
const axes = {
  overpaid: { least: 1e-4, most: 1e3, ticks: [1e-4, 1e-2, 1, 1e2], labels: ['≤0.01 %', '1 %', '100 %', '10⁴ %'] },
  missed: {
    least: 1e-4,
    most: 1,
    ticks: [1e-4, 1e-3, 1e-2, 1e-1, 1],
    labels: ['≤0.01 %', '0.1 %', '1 %', '10 %', '100 %'],
  },
}

/** The strategy whose levels are all shown. */
const ours = 'wayleave'

/** The strategies in drawing order, with colours that differ on light and dark, and for colour-blind readers. */
const marks: readonly { strategy: string; colour: string; shape: (x: number, y: number) => string }[] = [
  {
    strategy: 'metamask',
    colour: '#e07b00',
    shape: (x, y) => `<rect x="${x - 4}" y="${y - 4}" width="8" height="8"/>`,
  },
  { strategy: 'eth_gasPrice', colour: '#8f8f8f', shape: (x, y) => `<path d="M${x} ${y - 5}l5 9h-10z"/>` },
  {
    strategy: 'ethers',
    colour: '#3d7de0',
    shape: (x, y) => `<circle cx="${x}" cy="${y}" r="6" fill="none" stroke="#3d7de0" stroke-width="2"/>`,
  },
  {
    strategy: 'viem',
    colour: '#b452cd',
    shape: (x, y) => `<path d="M${x - 4} ${y - 4}l8 8m0 -8l-8 8" fill="none" stroke="#b452cd" stroke-width="2"/>`,
  },
  {
    strategy: 'frame',
    colour: '#c2185b',
    shape: (x, y) => `<path d="M${x} ${y - 5}l5 5l-5 5l-5 -5z"/>`,
  },
  {
    strategy: 'alloy',
    colour: '#00838f',
    shape: (x, y) => `<path d="M${x} ${y + 5}l5 -9h-10z"/>`,
  },
  {
    strategy: 'foundry',
    colour: '#8d6e00',
    shape: (x, y) => `<path d="M${x} ${y - 5}v10m-5 -5h10" fill="none" stroke="#8d6e00" stroke-width="2"/>`,
  },
  { strategy: ours, colour: '#0f9d6b', shape: (x, y) => `<circle cx="${x}" cy="${y}" r="5"/>` },
]

const style = `text{font:11px system-ui,sans-serif;fill:#4a4a4a}.title{font-size:13px;font-weight:600}.tick{font-size:10px;fill:#6b6b6b}
.grid{stroke:#8888;stroke-width:.5}.frame{fill:none;stroke:#8888}.promise{stroke:#0f9d6b;stroke-dasharray:3 3}.levels{fill:none;stroke:#0f9d6b}
@media(prefers-color-scheme:dark){text{fill:#d0d0d0}.tick{fill:#a0a0a0}}`

/**
 * Draws an SVG with a panel for each data set: missed inclusions upwards, overpayment to the right, a point for each strategy's
 * medium offer; lower left is better. Small points joined to ours are its low and high offers.
 */
export function drawPlot({ markets, promises, measurements }: PlotInput): string {
  const [judge] = judges
  const width = columns * panel.width
  const height = head + Math.ceil(markets.length / columns) * panel.height
  const within = promises.medium.withinBlocks
  const panels = markets.map(({ name, kind }, at) => {
    const points = measurements.filter((each) => each.market === name && each.judge === judge!.name)
    const x = (at % columns) * panel.width
    const y = head + Math.floor(at / columns) * panel.height
    return `<g transform="translate(${x} ${y})">${drawPanel(`${name} (${kind})`, points, promises.medium)}</g>`
  })
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" role="img">`,
    `<title>Missed inclusions against overpayment of medium offers, by data set</title>`,
    `<style>${style}</style>`,
    `<text class="title" x="${panel.left}" y="22">Missed inclusions (up) against overpayment (right): lower left is better</text>`,
    `<text x="${panel.left}" y="41">Medium offers that ${within} blocks did not include, at ${judge!.name} of each block's tips. Small circles: our low and high. Dashed: what our medium promises.</text>`,
    drawLegend(),
    ...panels,
    '</svg>',
    '',
  ].join('\n')
}

function drawLegend(): string {
  return marks
    .toReversed()
    .map(({ strategy, colour, shape }, at) => {
      const x = panel.left + 6 + at * 104
      return `<g fill="${colour}">${shape(x, 64)}</g><text x="${x + 12}" y="68">${strategy}</text>`
    })
    .join('')
}

function drawPanel(title: string, points: readonly Measurement[], { withinBlocks, probability }: FeePromise): string {
  const vertical = axes.overpaid.ticks.map((tick, at) => {
    const x = across(tick)
    const label = `<text class="tick" text-anchor="middle" x="${x}" y="${panel.height - panel.bottom + 15}">${axes.overpaid.labels[at]!}</text>`
    return `<path class="grid" d="M${x} ${panel.top}v${plotHeight}"/>${label}`
  })
  const horizontal = axes.missed.ticks.map((tick, at) => {
    const y = upwards(tick)
    const label = `<text class="tick" text-anchor="end" x="${panel.left - 5}" y="${y + 3}">${axes.missed.labels[at]!}</text>`
    return `<path class="grid" d="M${panel.left} ${y}h${plotWidth}"/>${label}`
  })
  const drawn = marks.flatMap(({ strategy, colour, shape }) => {
    const point = points.find((each) => each.strategy === strategy && each.level === 'medium')
    if (point === undefined) return []
    const mark = shape(...placeAt(point, withinBlocks))
    return [`<g fill="${colour}"><title>${strategy}</title>${mark}</g>`]
  })
  const levels = points.filter(({ strategy }) => strategy === ours).map((point) => placeAt(point, withinBlocks))
  const promised = upwards(1 - probability)
  return [
    `<text class="title" x="${panel.left}" y="${panel.top - 8}">${title}</text>`,
    `<rect class="frame" x="${panel.left}" y="${panel.top}" width="${plotWidth}" height="${plotHeight}"/>`,
    ...vertical,
    ...horizontal,
    `<path class="promise" d="M${panel.left} ${promised}h${plotWidth}"/>`,
    `<polyline class="levels" points="${levels.join(' ')}"/>`,
    ...levels.map(([x, y]) => `<circle class="levels" cx="${x}" cy="${y}" r="3"/>`),
    ...drawn,
  ].join('\n')
}

function placeAt(point: Measurement, withinBlocks: number): readonly [x: number, y: number] {
  return [across(point.overpaid ?? 0), upwards(missedAfter(point, withinBlocks))]
}

function across(overpaid: number): number {
  return round(panel.left + placeOf(overpaid, axes.overpaid) * plotWidth)
}

function upwards(missed: number): number {
  return round(panel.top + (1 - placeOf(missed, axes.missed)) * plotHeight)
}

function placeOf(value: number, { least, most }: { least: number; most: number }): number {
  const within = Math.min(Math.max(value, least), most)
  return Math.log(within / least) / Math.log(most / least)
}

function round(value: number): number {
  return Math.round(value * 10) / 10
}
