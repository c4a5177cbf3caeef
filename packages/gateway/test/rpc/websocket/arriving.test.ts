import { expect, test } from 'vitest'
import { createFrameMeter } from '../../../src/rpc/websocket/arriving.ts'
import { clientFrame } from '../../web-socket-client.ts'

const text = 1
const continuation = 0

test('a message that is whole holds nothing, however its bytes come', () => {
  for (const lengths of [[0], [1], [125], [126, 0, 3], [65_535, 7], [300, 40_000, 1, 0, 2]]) {
    const frames = lengths.flatMap((length, i) => [
      clientFrame(i === 0 ? text : continuation, 'x'.repeat(length), { fin: i === lengths.length - 1 }),
      ...(i < lengths.length - 1 ? [clientFrame(9, 'ping')] : []),
    ])
    const bytes = Buffer.concat([...frames, clientFrame(text, 'whole')])
    for (const step of [1, 2, 3, 7, 64, 1_000, 4_999]) {
      const meter = createFrameMeter()
      let held = 0
      for (let at = 0; at < bytes.length; at += step) held = meter.pass(bytes.subarray(at, at + step))
      expect(held).toBe(0)
    }
  }
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
