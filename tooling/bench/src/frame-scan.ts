// Measures the scan of large answers: with SIMD, byte by byte, and the copy alone: `node tooling/bench/src/frame-scan.ts [ROUNDS]`.
import { createFrameScanner, type FrameScannerOptions } from '@wayleave/jsonrpc-core/testing'
import { type CallKind, createLargeCall, createTracesCall } from './calls.ts'
import { systemClock } from './defaults.ts'
import { describeMachine } from './machine.ts'
import { rotate, summarise } from './statistics.ts'
import { printTable } from './table.ts'

const rounds = Number(process.argv[2] ?? 40)
/** A read of a socket, in bytes. */
const chunkBytes = 65_536
const copyInto = Buffer.alloc(chunkBytes)

interface Way {
  readonly name: string
  pass(bytes: Buffer): void
}

function scanning(name: string, options: FrameScannerOptions): Way {
  return {
    name,
    pass(bytes) {
      const scanner = createFrameScanner(options)
      let end = -1
      let at = 0
      for (; end < 0 && at < bytes.length; at += chunkBytes) end = scanner.scan(bytes.subarray(at, at + chunkBytes), 0)
      if (at - chunkBytes + end !== bytes.length - 1) throw new Error(`${name} finds another end`)
    },
  }
}

const ways: readonly Way[] = [
  scanning('SIMD, copy included', {}),
  scanning('byte by byte', { simd: () => undefined }),
  {
    name: 'Buffer.copy alone',
    pass(bytes) {
      for (let at = 0; at < bytes.length; at += chunkBytes) bytes.copy(copyInto, 0, at, at + chunkBytes)
    },
  },
]

/** GB (10^9 bytes) that a second of this thread's CPU time passes. */
function measure(way: Way, { tail }: CallKind): number {
  const times = 10
  const before = systemClock.threadCpu()
  for (let i = 0; i < times; i++) way.pass(tail)
  return (times * tail.length) / (systemClock.threadCpu() - before) / 1e6
}

for (const [what, value] of describeMachine()) console.log(`- ${what}: ${value}`)
console.log(`\n${rounds} interleaved rounds of 100 MB in chunks of 64 kB; GB/s of CPU time: median (least..greatest)\n`)
const rows: string[][] = ways.map(({ name }) => [name])
for (const kind of [createLargeCall(), createTracesCall()]) {
  const rates = ways.map((): number[] => [])
  for (const way of ways) measure(way, kind)
  for (let round = 0; round < rounds; round++)
    for (const way of rotate(ways, round)) rates[ways.indexOf(way)]!.push(measure(way, kind))
  for (const [i, values] of rates.entries()) {
    const { median, min, max } = summarise(values)
    rows[i]!.push(`${median.toFixed(2)} (${min.toFixed(2)}..${max.toFixed(2)})`)
  }
}
console.log(printTable(['', 'logs', 'traces'], rows))
