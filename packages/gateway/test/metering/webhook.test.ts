import { createHmac } from 'node:crypto'
import { FakeClock } from '@wayleave/jsonrpc-core/testing'
import { describe, expect, it } from 'vitest'
import { createWebhook } from '../../src/metering/webhook.ts'
import { sleep, startNodeWith, until } from '../support.ts'

interface Sent {
  readonly url: string
  readonly init: RequestInit
}

/** A receiver that answers with these statuses, then with 200; `hang` never. */
function scene(answers: readonly (number | 'hang' | 'refuse')[] = [], secret = 'a-secret-of-the-receiver') {
  const clock = new FakeClock()
  const sent: Sent[] = []
  const lost: string[] = []
  const left = [...answers]
  let ids = 0
  const webhook = createWebhook({
    url: 'https://example.org/hook?token=hidden',
    secret,
    clock,
    newId: () => `id-${++ids}`,
    onLost: (why) => void lost.push(why),
    async fetch(url, init) {
      sent.push({ url: String(url), init: init! })
      const answer = left.shift() ?? 200
      if (answer === 'refuse') throw new TypeError('fetch failed')
      if (answer !== 'hang') return new Response(null, { status: answer })
      return new Promise((_, reject) => {
        init!.signal!.addEventListener('abort', () => reject(new DOMException('aborted', 'AbortError')))
      })
    },
  })
  const headersOf = (i: number) => sent[i]!.init.headers as Record<string, string>
  return { clock, webhook, sent, lost, headersOf }
}

/** Moves a clock on, in steps, with turns of the event loop in between. */
async function pass(clock: FakeClock, ms: number): Promise<void> {
  for (let passed = 0; passed < ms; passed += 1_000) {
    clock.advance(1_000)
    await sleep(0)
  }
}

describe('a webhook', () => {
  it('is signed as Standard Webhooks says', async () => {
    const { webhook, sent, headersOf, clock } = scene()
    webhook.send('quota.mark', { mark: 75 })
    await until(() => sent.length === 1)
    const { url, init } = sent[0]!
    expect(url).toBe('https://example.org/hook?token=hidden')
    expect(JSON.parse(init.body as string)).toEqual({
      type: 'quota.mark',
      timestamp: new Date(clock.date()).toISOString(),
      data: { mark: 75 },
    })
    const { 'webhook-id': id, 'webhook-timestamp': timestamp, 'webhook-signature': signature } = headersOf(0)
    expect(timestamp).toBe(String(Math.floor(clock.date() / 1_000)))
    const expected = createHmac('sha256', 'a-secret-of-the-receiver').update(
      `${id}.${timestamp}.${init.body as string}`,
    )
    expect(signature).toBe(`v1,${expected.digest('base64')}`)
    await webhook.close()
  })

  it('goes to the configured receiver alone, which cannot send it on', async () => {
    const other = await startNodeWith((_request, response) => void response.end())
    const receiver = await startNodeWith((_request, response) => {
      response.writeHead(307, { location: `${other.url}/hook` }).end()
    })
    const statuses: number[] = []
    const clock = new FakeClock()
    const webhook = createWebhook({
      url: `${receiver.url}/hook`,
      secret: 'a-secret-of-the-receiver',
      clock,
      newId: () => 'id',
      onLost: () => {},
      async fetch(...asked) {
        const response = await fetch(...asked)
        statuses.push(response.status)
        return response
      },
    })
    webhook.send('quota.mark', { mark: 75 })
    await until(() => statuses.length === 1)
    const closing = webhook.close()
    clock.advance(2_000)
    await closing
    expect([statuses, other.headers.length]).toEqual([[307], 0])
    await Promise.all([receiver.close(), other.close()])
  })

  it('takes the vector of the specification', async () => {
    // https://github.com/standard-webhooks/standard-webhooks: the key is the base64 behind `whsec_`.
    const { webhook, headersOf, sent } = scene([], 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw')
    webhook.send('quota.mark', {})
    await until(() => sent.length === 1)
    const { 'webhook-id': id, 'webhook-timestamp': timestamp, 'webhook-signature': signature } = headersOf(0)
    const bytes = Buffer.from('MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw', 'base64')
    const content = `${id}.${timestamp}.${sent[0]!.init.body as string}`
    expect(signature).toBe(`v1,${createHmac('sha256', bytes).update(content).digest('base64')}`)
    await webhook.close()
  })

  it('tries again under the same id, and then goes on with the next event', async () => {
    const { webhook, sent, lost, headersOf, clock } = scene([500, 'refuse', 302])
    webhook.send('quota.mark', { mark: 75 })
    webhook.send('quota.mark', { mark: 85 })
    await until(() => sent.length === 1)
    await pass(clock, 25_000)
    expect(sent.map((_, i) => headersOf(i)['webhook-id'])).toEqual(['id-1', 'id-1', 'id-1', 'id-1', 'id-2'])
    expect(lost).toEqual([])
    await webhook.close()
  })

  it('gives an event up after five tries, each with its deadline', async () => {
    const { webhook, sent, lost, clock } = scene(['hang', 'hang', 'hang', 'hang', 'hang'])
    webhook.send('quota.mark', {})
    await until(() => sent.length === 1)
    await pass(clock, 140_000)
    expect(sent).toHaveLength(5)
    expect(lost).toEqual(['it does not answer'])
    expect(clock.timers).toBe(0)
    await webhook.close()
  })

  it('holds 100 events at most, and drops the others', async () => {
    const { webhook, lost } = scene(['hang'])
    for (let i = 0; i < 105; i++) webhook.send('quota.mark', { i })
    expect(lost).toEqual(Array.from({ length: 4 }, () => '100 others wait'))
    const closing = webhook.close()
    expect(lost).toHaveLength(4)
    void closing
  })

  it('ends within two seconds', async () => {
    const { webhook, sent, lost, clock } = scene(['hang'])
    webhook.send('quota.mark', {})
    webhook.send('quota.mark', {})
    await until(() => sent.length === 1)
    const closed = webhook.close()
    clock.advance(2_000)
    await closed
    expect(lost).toEqual(['it cannot be reached', 'the gateway ends'])
    expect(clock.timers).toBe(0)
  })
})
