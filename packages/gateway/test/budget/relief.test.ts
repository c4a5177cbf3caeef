import { FakeClock } from '@wayleave/jsonrpc-core/testing'
import { expect, test } from 'vitest'
import { createRelief } from '../../src/budget/relief.ts'

const MiB = 1024 * 1024
const nothing = (): void => {}

function scene() {
  const clock = new FakeClock(0)
  const told: string[] = []
  const process = { heap: 50 * MiB, busy: 0, buffers: 10 * MiB }
  /** Ends the collection that was begun last, where that does not end by itself. */
  const collection = { endsByItself: true, end: nothing }
  const relief = createRelief({
    clock,
    heapBytes: () => process.heap,
    bufferBytes: () => process.buffers,
    busyPart: () => process.busy,
    collectYoung: () => void told.push(`young ${clock.now()}`),
    shrink: () => void told.push(`shrink ${clock.now()}`),
    collectAll(done) {
      told.push(`all ${clock.now()}`)
      collection.end = done
      if (collection.endsByItself) done()
    },
  })
  return { clock, told, relief, process, collection }
}

test('what lives short is collected each time 16 MiB were taken', () => {
  const { relief, told } = scene()
  for (let i = 0; i < 33; i++) relief.taken(MiB)
  expect(told).toEqual(['young 0', 'young 0'])
})

test('everything is collected soon after 48 MiB were given back, at most once a second', () => {
  const { clock, relief, told } = scene()
  relief.given(48 * MiB, nothing)
  clock.advance(0)
  expect(told).toEqual(['all 0'])
  relief.given(200 * MiB, nothing)
  clock.advance(999)
  expect(told).toEqual(['all 0'])
  clock.advance(1)
  expect(told).toEqual(['all 0', 'all 1000'])
})

test('everything is collected once it is quiet after less, and not for a little', () => {
  const { clock, relief, told } = scene()
  relief.given(23 * MiB, nothing)
  clock.advance(100_000)
  expect(told).toEqual([])
  relief.given(MiB, nothing)
  relief.given(MiB, nothing)
  clock.advance(2_000)
  expect(told).toEqual(['shrink 102000'])
  relief.given(30 * MiB, nothing)
  clock.advance(14_999)
  expect(told).toHaveLength(1)
  clock.advance(1)
  expect(told).toHaveLength(2)
})

test('everything is collected where buffers grew by more than 16 MiB, at most every two seconds', () => {
  const { clock, relief, told, process } = scene()
  const takeMany = (): void => relief.taken(16 * MiB)
  process.buffers = 16 * MiB
  takeMany()
  clock.advance(0)
  expect(told).toEqual(['young 0'])
  process.buffers = 17 * MiB
  takeMany()
  clock.advance(0)
  expect(told.slice(1)).toEqual(['young 0', 'all 0'])
  // What is left is what is held: it is the measure of the next growth.
  process.buffers = 33 * MiB
  takeMany()
  clock.advance(1_999)
  process.buffers = 34 * MiB
  takeMany()
  expect(told.slice(3)).toEqual(['young 0', 'young 1999'])
  clock.advance(1)
  expect(told.slice(5)).toEqual(['all 2000'])
})

test('a growth of buffers gives way to what was given back, and comes before what is quiet', () => {
  const { clock, relief, told, process } = scene()
  relief.given(48 * MiB, nothing)
  clock.advance(0)
  expect(told).toEqual(['all 0'])
  process.buffers = 40 * MiB
  relief.taken(16 * MiB)
  relief.given(48 * MiB, nothing)
  clock.advance(1_000)
  expect(told.slice(1)).toEqual(['young 0', 'all 1000'])
  process.buffers = 80 * MiB
  relief.taken(16 * MiB)
  clock.advance(2_000)
  expect(told.slice(3)).toEqual(['young 1000', 'all 3000'])
})

test('nothing is collected after the close', () => {
  const { clock, relief, told } = scene()
  relief.given(64 * MiB, nothing)
  relief.close()
  clock.advance(100_000)
  expect(told).toEqual([])
})

test('what is collected under load is collected once more when it is quiet, for what was still in use', () => {
  const { clock, relief, told } = scene()
  relief.given(48 * MiB, nothing)
  clock.advance(0)
  clock.advance(100_000)
  expect(told).toEqual(['all 0', 'shrink 15000'])
})

test('garbage beyond a bound is a part of the budget until it is collected', () => {
  const { clock, relief, collection } = scene()
  const released: string[] = []
  collection.endsByItself = false
  relief.given(40 * MiB, () => released.push('some'))
  relief.given(40 * MiB, () => released.push('more'))
  relief.given(40 * MiB, () => released.push('too much to wait for'))
  expect(released).toEqual(['some', 'too much to wait for'])
  clock.advance(0)
  // While it is collected, others have to wait no longer than before.
  relief.given(50 * MiB, () => released.push('too much beside what is collected'))
  expect(released).toEqual(['some', 'too much to wait for', 'too much beside what is collected'])
  collection.end()
  expect(released.slice(3)).toEqual(['more'])
})

test('a calm process whose heap has grown gives memory back once, and a busy one later', () => {
  const { clock, told, relief, process } = scene()
  clock.advance(20_000)
  process.heap = 100 * MiB
  process.busy = 0.9
  clock.advance(20_000)
  expect(told).toEqual([])
  process.busy = 0.1
  clock.advance(5_000)
  expect(told).toEqual(['shrink 45000'])
  // It is still as large: nothing would come of another one.
  clock.advance(100_000)
  expect(told).toEqual(['shrink 45000'])
  process.heap = 140 * MiB
  clock.advance(5_000)
  expect(told).toHaveLength(2)
  relief.close()
  expect(clock.timers).toBe(0)
})
