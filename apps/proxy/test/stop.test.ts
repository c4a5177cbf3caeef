import { EventEmitter } from 'node:events'
import { describe, expect, it } from 'vitest'
import { type ProcessEvents, runUntilStopped } from '../src/index.ts'

class FakeProcess extends EventEmitter implements ProcessEvents {
  readonly connected?: boolean

  constructor(connected?: boolean) {
    super()
    if (connected !== undefined) this.connected = connected
  }
}

/** A service whose close() lasts until `closed` is called. */
function service(): { close(): Promise<void>; closes: number; closed: () => void } {
  let closed: () => void = () => {}
  const isClosed = new Promise<void>((resolve) => (closed = resolve))
  return {
    closes: 0,
    closed,
    close() {
      this.closes++
      return isClosed
    },
  }
}

const turn = (): Promise<void> => new Promise((resolve) => void setImmediate(resolve))
const listeners = (events: EventEmitter): number =>
  events.eventNames().reduce((sum, name) => sum + events.listenerCount(name), 0)

describe('runUntilStopped', () => {
  it.each(['SIGINT', 'SIGTERM', 'SIGHUP'])('on %s closes the service, waits for that, and gives 0', async (signal) => {
    const events = new FakeProcess()
    const running = service()
    let code: number | undefined
    const done = runUntilStopped(running, events).then((given) => (code = given))
    await turn()
    expect(running.closes).toBe(0)
    events.emit(signal)
    await turn()
    expect({ closes: running.closes, code }).toEqual({ closes: 1, code: undefined })
    running.closed()
    await done
    expect(code).toBe(0)
    expect(listeners(events)).toBe(0)
  })

  it('drains before it closes on SIGTERM, and on no other signal', async () => {
    for (const signal of ['SIGTERM', 'SIGINT']) {
      const events = new FakeProcess()
      const reported: string[] = []
      const steps = { drain: async () => void reported.push('drain'), close: async () => void reported.push('close') }
      const done = runUntilStopped(steps, events)
      events.emit(signal)
      expect(await done).toBe(0)
      expect(reported).toEqual(signal === 'SIGTERM' ? ['drain', 'close'] : ['close'])
    }
  })

  it('closes at a second signal while it drains, and waits no more at a third one', async () => {
    const events = new FakeProcess()
    const running = { ...service(), drain: () => new Promise<void>(() => {}) }
    const done = runUntilStopped(running, events)
    events.emit('SIGTERM')
    await turn()
    expect(running.closes).toBe(0)
    events.emit('SIGTERM')
    await turn()
    expect(running.closes).toBe(1)
    events.emit('SIGTERM')
    expect(await done).toBe(1)
  })

  it('waits no more after a second signal that comes once it has drained', async () => {
    const events = new FakeProcess()
    const running = { ...service(), drain: async () => {} }
    const done = runUntilStopped(running, events)
    events.emit('SIGTERM')
    await turn()
    expect(running.closes).toBe(1)
    events.emit('SIGTERM')
    expect(await done).toBe(1)
  })

  it('waits no more after a second signal, whichever, and gives 1', async () => {
    const events = new FakeProcess()
    const running = service()
    const done = runUntilStopped(running, events)
    events.emit('SIGINT')
    await turn()
    events.emit('SIGTERM')
    expect(await done).toBe(1)
    expect(running.closes).toBe(1)
    expect(listeners(events)).toBe(0)
  })

  it('stops when the launcher disconnects', async () => {
    const events = new FakeProcess(true)
    const running = service()
    const done = runUntilStopped(running, events)
    running.closed()
    events.emit('disconnect')
    expect(await done).toBe(0)
    expect(listeners(events)).toBe(0)
  })

  it('stops at once where the launcher has gone already', async () => {
    const running = service()
    running.closed()
    expect(await runUntilStopped(running, new FakeProcess(false))).toBe(0)
    expect(running.closes).toBe(1)
  })

  it('listens for no launcher where there is none', () => {
    const events = new FakeProcess()
    void runUntilStopped(service(), events)
    expect(events.listenerCount('disconnect')).toBe(0)
    expect(events.listenerCount('SIGTERM')).toBe(1)
  })

  it('closes the service and gives 1 after a failure', async () => {
    const events = new FakeProcess()
    const running = service()
    running.closed()
    expect(await runUntilStopped(running, events, Promise.reject(new Error('the chain died')))).toBe(1)
    expect(running.closes).toBe(1)
    expect(listeners(events)).toBe(0)
  })

  it('gives 1 after a failure, though a signal comes while the service closes', async () => {
    const events = new FakeProcess()
    const running = service()
    const done = runUntilStopped(running, events, Promise.reject(new Error('the chain died')))
    await turn()
    events.emit('SIGTERM')
    await turn()
    running.closed()
    expect(await done).toBe(1)
  })

  it('rejects with what close() throws', async () => {
    const events = new FakeProcess()
    const done = runUntilStopped({ close: () => Promise.reject(new Error('broken')) }, events)
    events.emit('SIGTERM')
    await expect(done).rejects.toThrow('broken')
    expect(listeners(events)).toBe(0)
  })
})
