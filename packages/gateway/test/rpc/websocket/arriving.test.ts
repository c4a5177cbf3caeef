import fc from 'fast-check'
import { expect, test } from 'vitest'
import { createFrameMeter } from '../../../src/rpc/websocket/arriving.ts'
import { clientFrame } from '../../web-socket-client.ts'

const text = 1
const continuation = 0

test('a message that is whole holds nothing, however its bytes come', () => {
  fc.assert(
    fc.property(
      fc.array(fc.tuple(fc.integer({ min: 0, max: 70_000 }), fc.boolean()), { minLength: 1, maxLength: 6 }),
      fc.integer({ min: 1, max: 5_000 }),
      (parts, step) => {
        const frames = parts.flatMap(([length, pings], i) => [
          clientFrame(i === 0 ? text : continuation, 'x'.repeat(Math.min(length, 65_535)), {
            fin: i === parts.length - 1,
          }),
          ...(pings && i < parts.length - 1 ? [clientFrame(9, 'ping')] : []),
        ])
        const bytes = Buffer.concat([...frames, clientFrame(text, 'whole')])
        const meter = createFrameMeter()
        let held = 0
        for (let at = 0; at < bytes.length; at += step) held = meter.pass(bytes.subarray(at, at + step))
        expect(held).toBe(0)
      },
    ),
    { numRuns: 50 },
  )
})

test('a part of a message holds its bytes, and something for each piece', () => {
  const meter = createFrameMeter()
  const frame = clientFrame(text, 'x'.repeat(10_000))
  const held = meter.pass(frame.subarray(0, 5_000))
  expect(held).toBeGreaterThan(4 * 4_900)
  expect(held).toBeLessThan(4 * 5_200)
  expect(meter.pass(frame.subarray(5_000, 5_001))).toBeGreaterThan(held + 200)
  expect(meter.pass(frame.subarray(5_001))).toBe(0)
})

test('a fragment of one byte holds what its objects take', () => {
  const meter = createFrameMeter()
  meter.pass(clientFrame(text, '[', { fin: false }))
  const fragments = Buffer.concat(Array.from({ length: 1_000 }, () => clientFrame(continuation, ' ', { fin: false })))
  expect(meter.pass(fragments)).toBeGreaterThan(200_000)
  expect(meter.pass(clientFrame(continuation, ']'))).toBe(0)
})

test('a frame of more than 64 kB is followed by its long length', () => {
  const meter = createFrameMeter()
  const head = Buffer.alloc(14)
  head.set([0x81, 0xff])
  head.writeBigUInt64BE(100_000n, 2)
  expect(meter.pass(Buffer.concat([head, Buffer.alloc(99_999)]))).toBeGreaterThan(99_000)
  expect(meter.pass(Buffer.alloc(1))).toBe(0)
})
