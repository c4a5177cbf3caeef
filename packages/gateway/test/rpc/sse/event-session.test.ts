import type { ServerResponse } from 'node:http'
import { rawJsonFromValue, RpcError } from '@wayleave/jsonrpc-core'
import { FakeClock } from '@wayleave/jsonrpc-core/testing'
import { expect, it } from 'vitest'
import { createHeadPrinter } from '../../../src/events/event-printer.ts'
import { createEventSession } from '../../../src/rpc/sse/event-session.ts'

it('tells a source when its slow reader has room, and when it is gone', async () => {
  /** Ends of the writes that the reader has not taken. */
  const taken: (() => void)[] = []
  const response = { write: (_: string, done: () => void) => taken.push(done) > 0, end() {}, on() {} }
  const session = createEventSession({
    response: response as unknown as ServerResponse,
    account: { take: () => true, give() {}, refusal: () => new RpcError('overloaded', 'full') },
    clock: new FakeClock(),
    idleMs: 1_000_000,
    retryMs: 1_000,
    completeError: (error) => error,
  })
  session.begin(createHeadPrinter(undefined))
  const log: string[] = []
  const wait = (name: string): void => void session.drained!().then(() => log.push(name))
  const turn = (): Promise<unknown> => new Promise((resolve) => setImmediate(resolve))
  const head = rawJsonFromValue({ hash: `0x${'1'.repeat(64)}`, extraData: '0'.repeat(700_000) })
  const report = (): boolean => session.sendEvent('eth_subscription', { id: '0x1' }, head)
  wait('at first')
  await turn()
  expect([report(), report()]).toEqual([true, false])
  wait('slow')
  await turn()
  expect(log).toEqual(['at first'])
  for (const done of taken.splice(0, 2)) done()
  await turn()
  expect(log).toEqual(['at first', 'slow'])
  expect(report()).toBe(false)
  wait('gone')
  await turn()
  session.leave()
  await turn()
  expect(log).toEqual(['at first', 'slow', 'gone'])
})
