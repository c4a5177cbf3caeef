import { describe, expect, it } from 'vitest'
import { createResponseReader } from '../../src/load/response-reader.ts'

/** Lists the events of a reader of `pieces`: bodies with their status, and failures. */
function read(pieces: readonly Buffer[]): string[] {
  const reported: string[] = []
  let body = ''
  const feed = createResponseReader({
    body: (bytes, from, to) => (body += bytes.toString('latin1', from, to)),
    end: (status) => {
      reported.push(`${status} ${body}`)
      body = ''
    },
    fail: (message) => reported.push(`failed: ${message}`),
  })
  for (const piece of pieces) feed(piece)
  return reported
}

const stream = Buffer.from(
  'HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nfirst' +
    'HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n3\r\nsec\r\nA;x=1\r\nond answer\r\n0\r\nx: y\r\n\r\n' +
    'HTTP/1.1 503 Busy\r\ncontent-length: 0\r\n\r\n',
)
const answers = ['200 first', '200 second answer', '503 ']

describe('createResponseReader', () => {
  it('reads responses with a length and in chunks that come at once', () => {
    expect(read([stream])).toEqual(answers)
  })

  it('reads the same wherever the bytes are cut', () => {
    for (let at = 1; at < stream.length; at++) {
      expect(read([stream.subarray(0, at), stream.subarray(at)]), `cut at ${at}`).toEqual(answers)
    }
    expect(read(Array.from(stream, (byte) => Buffer.of(byte)))).toEqual(answers)
  })

  it('refuses what it cannot tell the end of', () => {
    expect(read([Buffer.from('HTTP/1.1 200 OK\r\n\r\nbody')])).toEqual([expect.stringContaining('failed')])
    expect(read([Buffer.from('SSH-2.0\r\n\r\n')])).toEqual([expect.stringContaining('failed')])
    const longChunk = 'HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n2\r\nabc\r\n'
    expect(read([Buffer.from(longChunk)])).toEqual([expect.stringContaining('failed')])
  })
})
