import { systemClock } from '@wayleave/jsonrpc-core'
import {
  createLimits,
  createMemoryAuthority,
  createPrices,
  type LimitAuthority,
  type LimitsOptions,
  type Plan,
  type Usage,
} from '@wayleave/metering'
import { expect, it } from 'vitest'
import { createGasMeter } from '../../src/gas/gas-meter.ts'
import type { GasPlace } from '../../src/gas/service.ts'
import { createMetering } from '../../src/metering/metering.ts'
import { principalOf } from '../support.ts'

const place: GasPlace = {
  path: '/networks/1/suggestedGasFees/stream',
  network: 'mainnet',
  networks: ['mainnet'],
  endpoint: 'suggestedGasFees/stream',
}

/** Answers a turn later, as that of other processes does. */
function laterAuthority(): LimitAuthority {
  const memory = createMemoryAuthority({ clock: systemClock })
  return { take: async (...question) => memory.take(...question) }
}

async function begin(plan: Plan | undefined, shared?: LimitsOptions['shared']) {
  const counted: (readonly [method: string, status: number, credits: number])[] = []
  const usage = { recorder: () => ({ count: (...row: [string, number, number]) => void counted.push(row) }) }
  const meter = createGasMeter(
    createMetering({
      prices: createPrices({ events: { suggestedGasFees: 60 } }),
      limits: createLimits({ clock: systemClock, shared }),
      planOf: () => ({ key: plan, project: undefined }),
      usage: usage as unknown as Usage,
      metrics: { limited() {} },
    }),
  )
  return { counted, request: await meter(principalOf({ id: 'p', name: 'p', requireSecret: false }), place) }
}

async function* events(count: number): AsyncGenerator<string> {
  for (let i = 1; i <= count; i++) {
    yield ':\n\n'
    yield `event: suggestedGasFees\nid: ${i}\ndata: {}\n\n`
  }
}

async function passedOf(passed: AsyncIterable<string>): Promise<number> {
  let count = 0
  for await (const text of passed) if (!text.startsWith(':')) count++
  return count
}

it('debits each event of a stream but the first, and no comment', async () => {
  const { counted, request } = await begin({ perDay: { credits: 1_000 } })
  expect(request.refused).toBeUndefined()
  request.settle(200)
  expect(await passedOf(request.charge(events(3)))).toBe(3)
  const endpoint = 'suggestedGasFees/stream'
  expect(counted).toEqual([
    [endpoint, 200, 80],
    [endpoint, 200, 60],
    [endpoint, 200, 60],
  ])
})

it('ends a stream whose quota is spent, after the event that spent it, and others without a further one', async () => {
  const { request } = await begin({ perDay: { credits: 150 } })
  request.settle(200)
  // 80 for the request and its first event, 60 for the second one, and the third exceeds what is left.
  expect(await passedOf(request.charge(events(10)))).toBe(3)
  expect(await passedOf(request.charge(events(10)))).toBe(1)
  expect((await begin({ perDay: { credits: 150 } })).request.refused).toBeUndefined()
})

it('ends streams of several processes after the event that spends the quota of all', async () => {
  const authority = laterAuthority()
  const plan = { perDay: { credits: 350 } }
  const process = (name: string) => begin(plan, { authority, process: name, share: () => 1 / 2 })
  const { request } = await process('a')
  const { request: other } = await process('b')
  // Two requests of 80 leave three events of 60, and a fourth one 10 of its credits.
  const passed = [passedOf(request.charge(events(10))), passedOf(other.charge(events(10)))]
  expect((await Promise.all(passed)).reduce((a, b) => a + b)).toBe(2 + 4)
})

it('passes on every event of a caller without limits', async () => {
  const { counted, request } = await begin(undefined)
  expect(await passedOf(request.charge(events(5)))).toBe(5)
  expect(counted).toHaveLength(4)
})
