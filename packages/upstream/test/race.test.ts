import { createContext, RpcError } from '@wayleave/jsonrpc-core'
import { FakeClock } from '@wayleave/jsonrpc-core/testing'
import { describe, expect, it } from 'vitest'
import { Race } from '../src/race.ts'
import { candidate as createOne } from './selection/candidates.ts'

const candidate = createOne('a')
const why = new RpcError('aborted', 'another upstream was faster')

function scene() {
  const call = createContext({ clock: new FakeClock(), timeoutMs: 1_000, acceptStream: true, tenant: 'a' })
  let listeners = 0
  const onCancel = call.onCancel.bind(call)
  call.onCancel = (listener) => {
    listeners++
    const forget = onCancel(listener)
    return () => {
      listeners--
      forget()
    }
  }
  return { call, race: new Race(call, candidate, false, 0), listening: () => listeners }
}

describe('the context of an attempt in a race', () => {
  it('is that of the call, but for its end', () => {
    const { call, race } = scene()
    expect([race.deadline, race.acceptStream, race.tenant]).toEqual([call.deadline, true, 'a'])
    const reported: RpcError[] = []
    race.onCancel((reason) => reported.push(reason))
    race.cancel(why)
    race.cancel(new RpcError('timeout', 'too late'))
    expect([reported, race.cancelled, call.cancelled]).toEqual([[why], why, undefined])
    race.onCancel((reason) => reported.push(reason))
    expect(reported).toEqual([why, why])
  })

  it('has no batch where it is a hedge', () => {
    const batch = { size: 2 }
    const { context: call } = scene().call.fork({ batch })
    expect(new Race(call, candidate, false, 0).batch).toBe(batch)
    expect(new Race(call, candidate, true, 0).batch).toBeUndefined()
  })

  it('ends with the call', () => {
    const { call, race } = scene()
    const reported: RpcError[] = []
    race.onCancel((reason) => reported.push(reason))
    const { signal } = race
    call.cancel(why)
    expect([reported, race.cancelled, signal.aborted, signal.reason]).toEqual([[why], why, true, why])
    expect(new Race(call, candidate, false, 0).signal.aborted).toBe(true)
  })

  it('listens to the call only while somebody listens to it', () => {
    const { race, listening } = scene()
    expect(listening()).toBe(0)
    const forget = [race.onCancel(() => {}), race.onCancel(() => {})]
    expect(listening()).toBe(1)
    for (const each of forget) each()
    expect(listening()).toBe(0)
    race.onCancel(() => {})
    race.release()
    expect(listening()).toBe(0)
  })

  it('is forked as the call is, and ends its forks', () => {
    const { race, listening } = scene()
    const [first, second] = [race.fork({ deadline: 1_500 }), race.fork({})]
    expect(first.context.deadline).toBe(1_500)
    first.release()
    race.cancel(why)
    expect([first.context.cancelled, second.context.cancelled]).toEqual([undefined, why])
    second.release()
    expect(listening()).toBe(0)
  })
})
