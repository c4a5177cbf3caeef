import type { IncomingMessage, ServerResponse } from 'node:http'
import { FakeClock } from '@wayleave/jsonrpc-core/testing'
import { expect, it } from 'vitest'
import { lingerOn } from '../../src/listen/answer.ts'
import { onceAdmitted } from '../../src/listen/once-admitted.ts'

const requestOn = (destroyed: boolean) =>
  ({ socket: { destroyed }, readableEnded: false }) as unknown as IncomingMessage

it('goes on once it is known; after the caller has left, only what was found is given back', async () => {
  const reported: string[] = []
  const note = (what: { readonly name: string }): void => void reported.push(what.name)
  const failed = (why: unknown): void => void reported.push(`failed: ${String(why)}`)
  onceAdmitted(requestOn(false), Promise.resolve({ name: 'later' }), note, failed)
  onceAdmitted(requestOn(true), Promise.resolve({ name: 'never' }), note, failed)
  onceAdmitted(requestOn(true), Promise.resolve({ name: 'a call' }), note, failed, ({ name }) =>
    reported.push(`${name} is given back`),
  )
  onceAdmitted(requestOn(false), Promise.reject<{ name: string }>('broken'), note, failed)
  await new Promise(setImmediate)
  expect(reported).toEqual(['later', 'a call is given back', 'failed: broken'])
})

it('an answer to a caller who has left is not waited with for the rest of his request', () => {
  const clock = new FakeClock()
  const bodies: unknown[] = []
  const response = { end: (body: unknown) => void bodies.push(body) } as unknown as ServerResponse
  lingerOn(requestOn(true), response, 'no', clock)
  expect(bodies).toEqual(['no'])
  expect(clock.timers).toBe(0)
})
