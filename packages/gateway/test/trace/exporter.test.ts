import { getEventListeners } from 'node:events'
import { FakeClock } from '@wayleave/jsonrpc-core/testing'
import { expect, it, onTestFinished, vi } from 'vitest'
import { createExporter } from '../../src/trace/exporter.ts'
import type { Span } from '../../src/trace/otlp.ts'
import { until } from '../support.ts'

const span = (name: string): Span => ({
  traceId: 'a'.repeat(32),
  spanId: 'b'.repeat(16),
  name,
  kind: 2,
  startTimeUnixNano: '1',
  endTimeUnixNano: '2',
  attributes: [],
})

/** An exporter to a collector that answers as it is told, request by request. */
function begin(answer: (nth: number, signal: AbortSignal) => Promise<Response>) {
  const clock = new FakeClock()
  const sent: { names: string[]; url: unknown; headers: unknown }[] = []
  const failures: string[] = []
  let dropped = 0
  const exporter = createExporter({
    endpoint: 'https://user:pass@collector.example/v1/traces',
    headers: { 'x-tenant': 't' },
    clock,
    onDropped: (spans) => (dropped += spans),
    onFailure: (why) => void failures.push(why),
    fetch: (url, init) => {
      const { resourceSpans } = JSON.parse(init!.body as string)
      const names = resourceSpans[0].scopeSpans[0].spans.map((each: Span) => each.name)
      sent.push({ names, url, headers: init!.headers })
      return answer(sent.length, init!.signal!)
    },
  })
  const add = (count: number): void => {
    for (let i = 0; i < count; i++) exporter.add(() => [span(String(i))])
  }
  return { clock, exporter, add, sent, failures, dropped: () => dropped }
}

it('sends batches of 256 calls, with the credentials of its URL in a header', async () => {
  const { exporter, add, sent } = begin(async () => new Response('{}'))
  add(600)
  await exporter.close()
  expect(sent.map(({ names }) => names.length)).toEqual([256, 256, 88])
  expect(sent[0]).toMatchObject({
    url: 'https://collector.example/v1/traces',
    headers: { authorization: `Basic ${btoa('user:pass')}`, 'x-tenant': 't' },
  })
})

it('keeps 2,048 calls for a collector that is mute, and drops the others', async () => {
  const { add, sent, dropped } = begin(() => new Promise(() => {}))
  add(256)
  await until(() => sent.length === 1)
  add(5_000)
  expect(dropped()).toBe(5_000 - 2_048)
})

it('tries a batch four times, at intervals, then gives it up and goes on', async () => {
  const { clock, add, sent, failures, dropped } = begin(
    async (nth) => new Response(null, { status: nth <= 4 ? 503 : 200 }),
  )
  add(1)
  clock.advance(2_000)
  for (const [tries, pause] of [
    [1, 1_000],
    [2, 4_000],
    [3, 16_000],
    [4, 0],
  ] as const) {
    await until(() => failures.length === tries)
    expect(sent).toHaveLength(tries)
    clock.advance(pause)
  }
  expect([dropped(), new Set(failures)]).toEqual([1, new Set(['the answer is 503'])])
  add(1)
  clock.advance(2_000)
  await until(() => sent.length === 5)
  expect(dropped()).toBe(1)
})

it('waits as long as a collector asks for, but a minute at most', async () => {
  const headers = { 'retry-after': '3600' }
  const { clock, add, sent, failures } = begin(async () => new Response(null, { status: 429, headers }))
  add(1)
  clock.advance(2_000)
  await until(() => failures.length === 1)
  clock.advance(59_999)
  expect(sent).toHaveLength(1)
  clock.advance(1)
  await until(() => sent.length === 2)
})

it('keeps nothing of its pauses while a collector fails for days', async () => {
  const spy = vi.spyOn(EventTarget.prototype, 'addEventListener')
  onTestFinished(() => spy.mockRestore())
  const { clock, exporter, add, failures } = begin(async () => new Response(null, { status: 503 }))
  for (let batch = 1; batch <= 20; batch++) {
    add(1)
    clock.advance(2_000)
    for (let tries = 1; tries <= 4; tries++) {
      await until(() => failures.length === 4 * (batch - 1) + tries)
      clock.advance(16_000)
    }
  }
  const signals = new Set(spy.mock.contexts.filter((each) => each instanceof AbortSignal))
  const left = [...signals].reduce((sum, each) => sum + getEventListeners(each, 'abort').length, 0)
  await exporter.close()
  expect(left).toBeLessThan(5)
})

it('ends within a second, whether the collector is mute or a pause is on its way', async () => {
  for (const answer of [
    (_: number, signal: AbortSignal) =>
      new Promise<Response>((_resolve, reject) =>
        signal.addEventListener('abort', () => reject(signal.reason as Error)),
      ),
    async () => new Response(null, { status: 503, headers: { 'retry-after': '3600' } }),
  ]) {
    const { clock, exporter, add, sent, dropped } = begin(answer)
    add(256)
    await until(() => sent.length === 1)
    add(10)
    const turn = (): Promise<unknown> => new Promise((resolve) => setTimeout(resolve, 5))
    await turn()
    const closed = exporter.close()
    await turn()
    clock.advance(1_000)
    await closed
    expect([sent.length, dropped()]).toEqual([1, 266])
  }
})
