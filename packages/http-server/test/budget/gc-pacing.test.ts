import { FakeClock } from '@wayleave/jsonrpc-core/testing'
import { expect, test } from 'vitest'
import { createGcPacing } from '../../src/budget/gc-pacing.ts'

const MiB = 1024 * 1024
const nothing = (): void => {}

function scene() {
  const clock = new FakeClock(0)
  const reported: string[] = []
  const growths: number[] = []
  const process = { heap: 50 * MiB, busy: 0, buffers: 10 * MiB }
  /** Ends the collection that was begun last, where that does not end by itself. */
  const collection = { endsByItself: true, end: nothing }
  const gcPacing = createGcPacing({
    clock,
    heapBytes: () => process.heap,
    bufferBytes: () => process.buffers,
    busyPart: () => process.busy,
    collectYoung: () => void reported.push(`young ${clock.now()}`),
    letGrow: (percent) => void growths.push(percent),
    shrink: () => void reported.push(`shrink ${clock.now()}`),
    collectAll(done) {
      reported.push(`all ${clock.now()}`)
      collection.end = done
      if (collection.endsByItself) done()
    },
  })
  /** Has 16 MiB taken, and what buffers have then measured. */
  const measure = (mebibytes: number): void => {
    process.buffers = mebibytes * MiB
    gcPacing.taken(16 * MiB)
    clock.advance(100)
  }
  return { clock, reported, growths, gcPacing, process, collection, measure }
}

test('what lives short is collected each time 16 MiB were taken', () => {
  const { gcPacing, reported } = scene()
  for (let i = 0; i < 33; i++) gcPacing.taken(MiB)
  expect(reported).toEqual(['young 0', 'young 0'])
})

test('everything is collected soon after 48 MiB were given back, at most once a second', () => {
  const { clock, gcPacing, reported } = scene()
  gcPacing.given(48 * MiB, nothing)
  clock.advance(0)
  expect(reported).toEqual(['all 0'])
  gcPacing.given(200 * MiB, nothing)
  clock.advance(999)
  expect(reported).toEqual(['all 0'])
  clock.advance(1)
  expect(reported).toEqual(['all 0', 'all 1000'])
})

test('everything is collected once it is quiet after less, and not for a little', () => {
  const { clock, gcPacing, reported } = scene()
  gcPacing.given(23 * MiB, nothing)
  clock.advance(100_000)
  expect(reported).toEqual([])
  gcPacing.given(MiB, nothing)
  gcPacing.given(MiB, nothing)
  clock.advance(2_000)
  expect(reported).toEqual(['shrink 102000'])
  gcPacing.given(30 * MiB, nothing)
  clock.advance(14_999)
  expect(reported).toHaveLength(1)
  clock.advance(1)
  expect(reported).toHaveLength(2)
})

test('everything is collected where buffers grew by more than 16 MiB beyond the fewest since, at most every two seconds', () => {
  const { clock, reported, measure } = scene()
  measure(90)
  measure(40)
  measure(56)
  expect(reported).toEqual(['young 0', 'young 100', 'young 200'])
  measure(57)
  expect(reported.slice(3)).toEqual(['young 300', 'all 400'])
  // The first measurement after it is the next measure: what is held.
  measure(50)
  measure(66)
  measure(67)
  expect(reported.slice(5)).toEqual(['young 400', 'young 500', 'young 600'])
  clock.advance(1_699)
  expect(reported).toHaveLength(8)
  clock.advance(1)
  expect(reported.slice(8)).toEqual(['all 2400'])
})

test('what lives short waits for a collection of everything that goes in steps', () => {
  const { clock, gcPacing, reported, collection } = scene()
  collection.endsByItself = false
  gcPacing.given(48 * MiB, nothing)
  clock.advance(0)
  gcPacing.taken(40 * MiB)
  expect(reported).toEqual(['all 0'])
  collection.end()
  gcPacing.taken(1)
  expect(reported).toEqual(['all 0', 'young 0'])
})

test('more may gather beside a larger heap, as it takes longer to collect', () => {
  const { clock, gcPacing, reported, process, measure } = scene()
  process.heap = 288 * MiB
  process.busy = 0.9
  clock.advance(5_000)
  measure(10)
  measure(58)
  gcPacing.given(71 * MiB, nothing)
  clock.advance(10_000)
  expect(reported).toEqual(['young 5000', 'young 5100'])
  gcPacing.given(72 * MiB, nothing)
  clock.advance(2_000)
  expect(reported.slice(2)).toEqual(['shrink 17200'])
  measure(10)
  measure(59)
  clock.advance(2_000)
  expect(reported.slice(3)).toEqual(['young 17200', 'young 17300', 'all 19200'])
  // No further one follows: little was still in use then, beside the heap.
  clock.advance(100_000)
  expect(reported).toHaveLength(6)
  process.busy = 0
  process.heap = 383 * MiB
  clock.advance(100_000)
  expect(reported).toHaveLength(6)
  process.heap = 384 * MiB
  clock.advance(5_000)
  expect(reported).toHaveLength(7)
})

test('buffers are not measured while everything is collected, which takes one of its own', () => {
  const { clock, gcPacing, reported, process, collection } = scene()
  collection.endsByItself = false
  process.buffers = 20 * MiB
  gcPacing.taken(16 * MiB)
  clock.advance(100)
  gcPacing.given(48 * MiB, nothing)
  clock.advance(0)
  expect(reported).toEqual(['young 0', 'all 100'])
  process.buffers = 100 * MiB
  gcPacing.taken(16 * MiB)
  clock.advance(5_000)
  expect(reported).toHaveLength(2)
})

test('a growth of buffers gives way to what was given back, and comes before what is quiet', () => {
  const { clock, gcPacing, reported, measure } = scene()
  gcPacing.given(48 * MiB, nothing)
  clock.advance(0)
  measure(10)
  measure(40)
  gcPacing.given(48 * MiB, nothing)
  clock.advance(800)
  expect(reported).toEqual(['all 0', 'young 0', 'young 100', 'all 1000'])
  measure(10)
  measure(40)
  clock.advance(2_000)
  expect(reported.slice(4)).toEqual(['young 1000', 'young 1100', 'all 3000'])
})

test('between calls the process stops for a collection every ten minutes at most, else it collects in steps', () => {
  const { clock, gcPacing, reported, process } = scene()
  const give = (): void => {
    gcPacing.given(24 * MiB, nothing)
    clock.advance(20_000)
  }
  process.busy = 0.06
  clock.advance(5_000)
  give()
  give()
  expect(reported).toEqual(['shrink 7000', 'all 27000'])
  clock.advance(600_000)
  give()
  process.busy = 0.04
  clock.advance(5_000)
  give()
  expect(reported.slice(2)).toEqual(['shrink 647000', 'shrink 672000'])
})

test('nothing is collected after the close', () => {
  const { clock, gcPacing, reported } = scene()
  gcPacing.given(64 * MiB, nothing)
  gcPacing.close()
  clock.advance(100_000)
  expect(reported).toEqual([])
})

test('what is collected under load is collected once more when it is quiet, for what was still in use', () => {
  const { clock, gcPacing, reported } = scene()
  gcPacing.given(48 * MiB, nothing)
  clock.advance(0)
  clock.advance(100_000)
  expect(reported).toEqual(['all 0', 'shrink 15000'])
})

test('garbage beyond a bound is a part of the budget until it is collected', () => {
  const { clock, gcPacing, collection } = scene()
  const released: string[] = []
  collection.endsByItself = false
  gcPacing.given(40 * MiB, () => released.push('some'))
  gcPacing.given(40 * MiB, () => released.push('more'))
  gcPacing.given(40 * MiB, () => released.push('too much to wait for'))
  expect(released).toEqual(['some', 'too much to wait for'])
  clock.advance(0)
  // While it is collected, others have to wait no longer than before.
  gcPacing.given(50 * MiB, () => released.push('too much beside what is collected'))
  expect(released).toEqual(['some', 'too much to wait for', 'too much beside what is collected'])
  collection.end()
  expect(released.slice(3)).toEqual(['more'])
})

test('a process whose heap has grown gives memory back once it was calm for a minute', () => {
  const { clock, reported, gcPacing, process } = scene()
  clock.advance(20_000)
  process.heap = 90 * MiB
  process.busy = 0.2
  clock.advance(200_000)
  process.busy = 0.05
  clock.advance(55_000)
  process.busy = 0.2
  clock.advance(5_000)
  process.busy = 0.05
  clock.advance(59_999)
  expect(reported).toEqual([])
  clock.advance(1)
  expect(reported).toEqual(['shrink 340000'])
  // It is still as large: nothing would come of another one.
  clock.advance(200_000)
  expect(reported).toHaveLength(1)
  process.heap = 122 * MiB
  clock.advance(5_000)
  expect(reported).toHaveLength(2)
  gcPacing.close()
  expect(clock.timers).toBe(0)
})

test('a heap may grow by 64 MiB, but by no more than itself, and by 40 % at least', () => {
  const { clock, growths, gcPacing, process } = scene()
  for (const heap of [60, 64, 100, 160, 300, 50]) {
    process.heap = heap * MiB
    clock.advance(5_000)
  }
  expect(growths).toEqual([100, 100, 100, 64, 40, 40, 100])
  gcPacing.close()
  expect(growths.at(-1)).toBe(0)
})
