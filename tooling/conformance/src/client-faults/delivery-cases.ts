import { once } from 'node:events'
import type { ServerResponse } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import { demand, Fault, type FaultCase, Hang, patienceMs, rejectionOf, timeoutMs, valueOf } from './fault-case.ts'
import { answerEach, ordinaryAnswer, printAnswer, type ReceivedPost, sendBody } from './hostile-node.ts'
import { chainOf, fullText, settle } from './settled.ts'
import { balance, html, openWarm, spoil } from './spoil.ts'
import { rawTransaction } from './transactions.ts'

/** Tells whether a caller can learn from an error when to ask again. */
function reportsWhenToRetry(thrown: unknown, header: string): boolean {
  return chainOf(thrown).some(
    ({ retryAfterMs, headers }) =>
      (typeof retryAfterMs === 'number' && retryAfterMs > 0) ||
      (headers instanceof Headers && headers.get('retry-after') === header) ||
      (typeof headers === 'object' && headers !== null && fullText(headers).includes(header)),
  )
}

function refuseWithRetryAfter({ response }: ReceivedPost, retryAfter: string): void {
  const error = { code: -32005, message: 'too many requests' }
  sendBody(response, printAnswer({ id: null }, { error }), { 'retry-after': retryAfter }, 429)
}

const bodyBytes = 64 * 1024 * 1024

/** Sends a valid answer of 64 MiB. Resolves with whether all of it was read. */
async function sendLong(response: ServerResponse, id: unknown): Promise<boolean> {
  const piece = '0'.repeat(65_536)
  const closed = once(response, 'close')
  response.writeHead(200, { 'content-type': 'application/json' })
  response.write(`{"jsonrpc":"2.0","id":${JSON.stringify(id)},"result":"0x`)
  for (let sent = 0; sent < bodyBytes && !response.destroyed; sent += piece.length) {
    if (!response.write(piece)) await Promise.race([once(response, 'drain'), closed])
  }
  if (!response.destroyed) response.end('"}')
  await closed
  return response.writableFinished
}

const apiKey = '0dd5eed50dd5eed50dd5eed50dd5eed5'

/** Failures of a call, each with an error of its own. */
const failures: Readonly<Record<string, (post: ReceivedPost) => void>> = {
  'a 500': ({ response }) => sendBody(response, 'out of order', { 'content-type': 'text/plain' }, 500),
  'a 401': ({ response }) => sendBody(response, 'invalid project id', { 'content-type': 'text/plain' }, 401),
  'a page': ({ response }) => sendBody(response, html, { 'content-type': 'text/html' }),
  'half an answer': ({ response }) => sendBody(response, '{"jsonrpc":"2.0","id":1,"resu'),
  'an error answer': (post) =>
    answerEach(post, (call) => printAnswer(call, { error: { code: -32000, message: 'header not found' } })),
  'a reset': ({ request }) => void request.socket.resetAndDestroy(),
  'a timeout': () => {},
}

/** Cases about the timing, repetition and size of calls and answers, and about the content of errors. */
export const deliveryCases: readonly FaultCase[] = [
  {
    number: 6,
    title: 'ends a call whose body stalls after the headers, at its time limit',
    async run(stage) {
      const { node } = stage
      spoil(node, 'eth_getBalance', ({ response }) => {
        response.writeHead(200, { 'content-type': 'application/json' }).write('{"jsonrpc":"2.0",')
      })
      const client = await openWarm(stage, { timeoutMs })
      await rejectionOf(client.request(balance))
    },
  },
  {
    number: 7,
    title: 'ends a call whose headers stall at its time limit, beside a signal that nobody aborts',
    async run(stage) {
      const { node } = stage
      spoil(node, 'eth_getBalance', () => {})
      const client = await openWarm(stage, { timeoutMs, signal: new AbortController().signal })
      await rejectionOf(client.request(balance))
    },
  },
  {
    number: 8,
    title: 'honours a Retry-After that is a date, or tells it',
    async run(stage) {
      const { node } = stage
      const date = Math.ceil(Date.now() / 1000) * 1000 + 2000
      const header = new Date(date).toUTCString()
      spoil(node, 'eth_getBalance', (post) =>
        Date.now() < date ? refuseWithRetryAfter(post, header) : answerEach(post, ordinaryAnswer),
      )
      const client = await openWarm(stage)
      const settled = await settle(client.request(balance), patienceMs)
      const [, ...again] = node.callsOf('eth_getBalance')
      // Timers may fire a little early.
      demand(
        again.every(({ at }) => at > date - 20),
        `it asked again ${again.length} times, before the date`,
      )
      if (settled.how === 'hang') throw new Hang('it neither asked again nor failed')
      if (settled.how === 'rejected')
        demand(reportsWhenToRetry(settled.why, header), 'its error does not tell the date')
    },
  },
  {
    number: 9,
    title: 'neither waits out a Retry-After of an hour nor asks before it, and tells it',
    async run(stage) {
      const { node } = stage
      spoil(node, 'eth_getBalance', (post) => refuseWithRetryAfter(post, '3600'))
      const client = await openWarm(stage)
      const settled = await settle(client.request(balance), patienceMs)
      const asked = node.callsOf('eth_getBalance').length
      demand(asked === 1, `it asked ${asked} times within ${patienceMs / 1000} s`)
      if (settled.how === 'hang') throw new Hang('it waits')
      demand(settled.how === 'rejected', 'it resolved')
      demand(settled.how === 'rejected' && reportsWhenToRetry(settled.why, '3600'), 'its error does not tell the hour')
    },
  },
  {
    number: 10,
    title: 'sends eth_sendRawTransaction once where the connection is reset',
    async run(stage) {
      const { node } = stage
      spoil(node, 'eth_sendRawTransaction', ({ request }) => void request.socket.resetAndDestroy())
      const client = await openWarm(stage)
      await rejectionOf(client.sendRawTransaction(rawTransaction))
      const sent = node.callsOf('eth_sendRawTransaction').length
      demand(sent === 1, `it was sent ${sent} times`)
    },
  },
  {
    number: 15,
    title: 'caps a body of 64 MiB and drops the connection',
    async run(stage) {
      const { node } = stage
      let taken: Promise<boolean> | undefined
      spoil(node, 'eth_getBalance', ({ calls, response }) => {
        taken = sendLong(response, calls[0]!.id)
      })
      // Even a slow machine can read all of it in this time, as this case does not test the time limit.
      const client = await openWarm(stage, { timeoutMs: 25_000 })
      await rejectionOf(client.request(balance), 30_000).catch((thrown: unknown) => {
        throw thrown instanceof Fault ? new Fault('it took all 64 MiB') : thrown
      })
      demand((await valueOf(taken!)) === false, 'it failed, but only after it had taken all 64 MiB')
    },
  },
  {
    number: 16,
    title: 'names the key in the path of its URL in no form of any error',
    async run(stage) {
      const { node } = stage
      const client = await openWarm(stage, { timeoutMs }, `/v3/${apiKey}`)
      const leaks: string[] = []
      const look = async (what: string): Promise<void> => {
        const thrown = await settle(client.getBalance(), patienceMs)
        if (thrown.how === 'fulfilled') throw new Fault(`${what} was taken for an answer`)
        if (thrown.how === 'rejected' && fullText(thrown.why).includes(apiKey)) leaks.push(what)
      }
      for (const [what, fail] of Object.entries(failures)) {
        spoil(node, 'eth_getBalance', fail)
        await look(what)
      }
      await node.vanish()
      await look('a refused connection')
      demand(leaks.length === 0, `it does after ${leaks.join(', ')}`)
    },
  },
  {
    number: 17,
    title: 'asks once for ten identical reads at a time',
    async run(stage) {
      const { node } = stage
      spoil(node, 'eth_getBalance', (post) => void sleep(50).then(() => answerEach(post, ordinaryAnswer)))
      const client = await openWarm(stage)
      await Promise.all(Array.from({ length: 10 }, () => valueOf(client.getBalance())))
      const asked = node.callsOf('eth_getBalance').length
      demand(asked === 1, `it asked ${asked} times`)
    },
  },
]
