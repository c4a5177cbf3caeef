// Measures a scrape of 5,000 series, beside prom-client's: `node tooling/bench/src/scrape.ts [ROUNDS]`. The rounds interleave the two, and
// both print the same numbers; the figures are CPU milliseconds of one process.
import { createRegistry } from '@wayleave/telemetry'
import { Counter, Histogram, Registry } from 'prom-client'
import { systemClock } from './defaults.ts'
import { describeMachine } from './machine.ts'
import { summarise } from './statistics.ts'
import { printTable } from './table.ts'

const rounds = Number(process.argv[2] ?? 40)
const labels = ['network', 'endpoint', 'method', 'outcome'] as const
const buckets = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30]

interface Subject {
  readonly name: string
  readonly print: () => string | Promise<string>
  readonly cpu: number[]
}

/** 3,300 counters and 100 histograms of 17 lines each: 5,000 series. */
function* samples(): Generator<readonly [network: string, endpoint: string, method: string, outcome: string]> {
  for (let i = 0; i < 3_300; i++) {
    yield [
      `network-${i % 10}`,
      `upstream-${i % 5}`,
      `eth_method${Math.floor(i / 10)}`,
      i % 2 === 0 ? 'proven' : 'refused',
    ]
  }
}
const networks = Array.from({ length: 100 }, (_, i) => `network-${i}`)
const help = { answers: 'Answers that were verified', seconds: 'Time to an answer' }

function fillOurs(): Subject {
  const registry = createRegistry()
  const answers = registry.counter({ name: 'answers_total', help: help.answers, labels })
  const seconds = registry.histogram({ name: 'seconds', help: help.seconds, labels: ['network'], buckets })
  for (const values of samples()) answers(...values).add(3)
  for (const network of networks) seconds(network).observe(0.02)
  return { name: 'our registry', print: () => registry.print(), cpu: [] }
}

function fillTheirs(): Subject {
  const registers = [new Registry()]
  const answers = new Counter({ name: 'answers_total', help: help.answers, labelNames: [...labels], registers })
  const seconds = new Histogram({ name: 'seconds', help: help.seconds, labelNames: ['network'], buckets, registers })
  for (const [network, endpoint, method, outcome] of samples()) answers.inc({ network, endpoint, method, outcome }, 3)
  for (const network of networks) seconds.observe({ network }, 0.02)
  return { name: 'prom-client', print: () => registers[0]!.metrics(), cpu: [] }
}

/** The series of a text, with their labels in one order. */
function linesOf(text: string): readonly string[] {
  const lines = text.split('\n').filter((line) => line !== '' && !line.startsWith('#'))
  return lines.map((line) =>
    line.replace(/\{(.*)\}/, (_, pairs: string) => `{${pairs.split(',').toSorted().join(',')}}`),
  )
}

const subjects = [fillOurs(), fillTheirs()]
const [ours, theirs] = await Promise.all(subjects.map(async ({ print }) => linesOf(await print()).toSorted()))
if (ours!.length !== 5_000 || ours!.join('\n') !== theirs!.join('\n')) throw new Error('the two print other numbers')

for (let round = 0; round < rounds + 5; round++) {
  for (const subject of round % 2 === 0 ? subjects : subjects.toReversed()) {
    const before = systemClock.cpu()
    await subject.print()
    // The first rounds warm up.
    if (round >= 5) subject.cpu.push(systemClock.cpu() - before)
  }
}

for (const [name, value] of describeMachine()) console.log(`${name}: ${value}`)
console.log('')
console.log(
  printTable(
    ['5,000 series', 'median ms', 'min', 'max'],
    subjects.map(({ name, cpu }) => {
      const { median, min, max } = summarise(cpu)
      return [name, ...[median, min, max].map((ms) => ms.toFixed(1))]
    }),
  ),
)
