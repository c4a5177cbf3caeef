// Measures what it costs to match the logs of a block: `node tooling/bench/src/log-filters.ts [ROUNDS]`. 5,000 filters and blocks of 500
// logs, two filters to a log, in the shapes that callers use; printing of events apart. The bar is CPU time of the thread a block.
import { createFilterIndex, type LogCriteria, logCriteriaOf } from '@wayleave/evm-events'
import { systemClock } from './defaults.ts'
import { describeMachine } from './machine.ts'
import { printTable } from './table.ts'

const rounds = Number(process.argv[2] ?? 200)
if (!Number.isSafeInteger(rounds) || rounds < 1) throw new Error('expected ROUNDS, a whole number of at least 1')
const coldRounds = 20
const filterCount = 5_000
const logCount = 500
const pairs = filterCount / 2
const barMs = 10

const address = (value: number): string => `0x${value.toString(16).padStart(40, '0')}`
const word = (value: number): string => `0x${value.toString(16).padStart(64, '0')}`
const transfer = word(0xddf252ad)

interface Shape {
  readonly name: string
  readonly filter: (i: number) => LogCriteria
  readonly log: (i: number) => { readonly address: string; readonly topics: readonly string[] }
}

const shapes: readonly Shape[] = [
  {
    name: 'each its contract',
    filter: (i) => logCriteriaOf({ address: [address(i >> 1)], topics: [] }),
    log: (i) => ({ address: address(i % pairs), topics: [transfer, word(i)] }),
  },
  {
    name: 'each its contract, one event',
    filter: (i) => logCriteriaOf({ address: [address(i >> 1)], topics: [[transfer]] }),
    log: (i) => ({ address: address(i % pairs), topics: [transfer, word(i)] }),
  },
  {
    name: 'one token, transfers to each its account',
    filter: (i) => logCriteriaOf({ address: [address(7)], topics: [[transfer], [], [word(i >> 1)]] }),
    log: (i) => ({ address: address(7), topics: [transfer, word(1e6 + i), word(i % pairs)] }),
  },
  {
    name: 'any token, transfers from each its account',
    filter: (i) => logCriteriaOf({ address: [], topics: [[transfer], [word(i >> 1)]] }),
    log: (i) => ({ address: address(i), topics: [transfer, word(i % pairs), word(3)] }),
  },
]

const quantile = (sorted: readonly number[], q: number): number => sorted[Math.floor(q * (sorted.length - 1))]!

function measure({ name, filter, log }: Shape): string[] {
  const index = createFilterIndex<number>()
  for (let i = 0; i < filterCount; i++) index.add(filter(i), i)
  const times: number[] = []
  let found = 0
  for (let round = 0; round < coldRounds + rounds; round++) {
    // Fresh strings, as an answer's parser makes them.
    const made = Array.from({ length: logCount }, (_, i) => log(i + round * logCount))
    const logs = JSON.parse(JSON.stringify(made)) as typeof made
    const before = systemClock.threadCpu()
    const matches = index.match(logs)
    if (round >= coldRounds) times.push(systemClock.threadCpu() - before)
    found = matches.reduce((sum, [, at]) => sum + at.length, 0)
  }
  const sorted = times.toSorted((one, other) => one - other)
  const figures = [0.5, 0.99, 1].map((q) => quantile(sorted, q).toFixed(2))
  return [name, String(found), ...figures, quantile(sorted, 0.99) < barMs ? 'yes' : 'no']
}

const machine = describeMachine().map(([name, value]) => `${name} ${value}`)
process.stdout.write(`${filterCount} filters, ${logCount} logs a block, ${rounds} blocks\n${machine.join(', ')}\n\n`)
const header = ['filters', 'matches a block', 'median, ms CPU', 'p99', 'most', `p99 under ${barMs} ms`]
process.stdout.write(`${printTable(header, shapes.map(measure))}\n`)
