import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { request as httpRequest, type IncomingMessage } from 'node:http'
import { connect } from 'node:net'
import { expect, test } from 'vitest'
import { form, serve } from './serve.ts'

const content = createHash('shake256', { outputLength: 12_000_000 }).update('lent').digest()

test.each(['cid-version=0', 'cid-version=1&raw-leaves=true&chunker=size-1048576', 'trickle=true'])(
  'content of %s is whole for readers of each pace at once, though the memory of its blocks is used again',
  async (shape) => {
    const { port, post } = await serve()
    const { headers, body } = form({ name: 'content', content })
    const added = await post(`/api/v0/add?${shape}`, { headers, body })
    expect(added.status).toBe(200)
    const cid = added.lines.at(-1)!['Hash'] as string

    async function read(query: string, pauseEvery: number): Promise<Buffer> {
      const sent = httpRequest({ port, host: '127.0.0.1', method: 'POST', path: `/api/v0/cat?arg=${cid}${query}` })
      const [answer] = (await once(sent.end(), 'response')) as [IncomingMessage]
      const parts: Buffer[] = []
      let turns = 0
      for await (const part of answer) {
        parts.push(part as Buffer)
        if (++turns % pauseEvery === 0) await new Promise((resolve) => setTimeout(resolve, 2))
      }
      return Buffer.concat(parts)
    }

    const whole = await Promise.all([1, 3, 20, Infinity, Infinity].map((pauseEvery) => read('', pauseEvery)))
    for (const bytes of whole) expect(bytes.equals(content)).toBe(true)
    const ranges = await Promise.all(
      [0, 1, 262_143, 5_000_000, 11_999_999].map(async (offset) => {
        const bytes = await read(`&offset=${offset}&length=3000000`, 7)
        return bytes.equals(content.subarray(offset, offset + 3_000_000))
      }),
    )
    expect(ranges).toEqual([true, true, true, true, true])
  },
)

test('two contents that were asked for at once on one connection are whole, beside readers that leave in the middle', async () => {
  const { port, post } = await serve()
  const contents = [content.subarray(0, 3_000_000), content.subarray(3_000_000, 7_000_000)]
  const cids: string[] = []
  for (const each of contents) {
    const { headers, body } = form({ name: 'content', content: each })
    const added = await post('/api/v0/add?cid-version=1&raw-leaves=true', { headers, body })
    cids.push(added.lines.at(-1)!['Hash'] as string)
  }
  const leave = async (): Promise<void> => {
    const sent = httpRequest({ port, host: '127.0.0.1', method: 'POST', path: `/api/v0/cat?arg=${cids[1]}` })
    const [answer] = (await once(sent.end(), 'response')) as [IncomingMessage]
    await once(answer, 'data')
    sent.destroy()
  }
  const leaving = Array.from({ length: 5 }, leave)

  const socket = connect(port, '127.0.0.1')
  const ask = (cid: string, connection: string): string =>
    `POST /api/v0/cat?arg=${cid} HTTP/1.1\r\nHost: x\r\nContent-Length: 0\r\nConnection: ${connection}\r\n\r\n`
  socket.write(ask(cids[0]!, 'keep-alive') + ask(cids[1]!, 'close'))
  const parts: Buffer[] = []
  for await (const part of socket) {
    parts.push(part as Buffer)
    if (parts.length % 5 === 0) await new Promise((resolve) => setTimeout(resolve, 1))
  }
  const reported = Buffer.concat(parts)
  const [first, second] = [bodyAt(reported, 0), bodyAt(reported, reported.indexOf('HTTP/1.1', 1_000_000))]
  expect([first.equals(contents[0]!), second.equals(contents[1]!)]).toEqual([true, true])
  await Promise.all(leaving)
})

/** Joins the chunks of the answer that begins there (RFC 9112 §7.1). */
function bodyAt(reported: Buffer, from: number): Buffer {
  const chunks: Buffer[] = []
  let at = reported.indexOf('\r\n\r\n', from) + 4
  for (;;) {
    const end = reported.indexOf('\r\n', at)
    const length = Number.parseInt(reported.toString('latin1', at, end), 16)
    if (length === 0) return Buffer.concat(chunks)
    chunks.push(reported.subarray(end + 2, end + 2 + length))
    at = end + 2 + length + 2
  }
}
