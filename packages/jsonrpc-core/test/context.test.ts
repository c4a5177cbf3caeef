import { CallContext, createContext, RpcError } from '@wayleave/jsonrpc-core'
import { FakeClock } from '@wayleave/jsonrpc-core/testing'
import { describe, expect, it } from 'vitest'

const why = new RpcError('aborted', 'the test aborts')

describe('a deadline', () => {
  it('cancels the context as a timeout, once, at its time', () => {
    const clock = new FakeClock()
    const context = createContext({ clock, timeoutMs: 50 })
    const heard: string[] = []
    context.onCancel((reason) => heard.push(reason.code))
    clock.advance(49)
    expect(context.cancelled).toBeUndefined()
    clock.advance(1)
    expect(context.cancelled?.code).toBe('timeout')
    clock.advance(1_000)
    expect(heard).toEqual(['timeout'])
    expect(clock.timers).toBe(0)
  })

  it('leaves no timer behind once the context is released or cancelled', () => {
    const clock = new FakeClock()
    createContext({ clock }).release()
    createContext({ clock }).cancel(why)
    expect(clock.timers).toBe(0)
  })

  it('without end takes no timer', () => {
    const clock = new FakeClock()
    const context = createContext({ clock, timeoutMs: Number.POSITIVE_INFINITY })
    expect(clock.timers).toBe(0)
    clock.advance(1e12)
    expect(context.cancelled).toBeUndefined()
  })
})

describe('a fork', () => {
  it('has the deadline of its parent at the latest, and a timer only for an earlier one', () => {
    const clock = new FakeClock()
    const parent = createContext({ clock, timeoutMs: 100 })
    expect(parent.fork({}).context.deadline).toBe(parent.deadline)
    expect(parent.fork({ deadline: parent.deadline + 1_000 }).context.deadline).toBe(parent.deadline)
    expect(clock.timers).toBe(1)
    const { context } = parent.fork({ deadline: clock.now() + 10 })
    expect(clock.timers).toBe(2)
    clock.advance(10)
    expect(context.cancelled?.code).toBe('timeout')
    expect(parent.cancelled).toBeUndefined()
  })

  it('is cancelled with its parent, and not the other way round', () => {
    const parent = createContext()
    const one = parent.fork({})
    const other = parent.fork({})
    one.cancel(why)
    expect(one.context.cancelled).toBe(why)
    expect(parent.cancelled).toBeUndefined()
    expect(other.context.cancelled).toBeUndefined()
    const later = new RpcError('timeout', 'later')
    parent.cancel(later)
    expect(other.context.cancelled).toBe(later)
    expect(one.context.cancelled).toBe(why)
    expect(parent.fork({}).context.cancelled).toBe(later)
  })

  it('no longer hears its parent once it is released, and leaves no listener and no timer there', () => {
    const clock = new FakeClock()
    class Watched extends CallContext {
      listening = 0
      override onCancel(listener: (reason: RpcError) => void): () => void {
        const forget = super.onCancel(listener)
        this.listening++
        return () => {
          this.listening--
          forget()
        }
      }
    }
    const parent = new Watched({ clock, deadline: clock.now() + 100 })
    const released = parent.fork({ deadline: clock.now() + 10 })
    const cancelled = parent.fork({ deadline: clock.now() + 10 })
    expect([parent.listening, clock.timers]).toEqual([2, 3])
    released.release()
    cancelled.cancel(why)
    expect([parent.listening, clock.timers]).toEqual([0, 1])
    parent.cancel(why)
    expect(released.context.cancelled).toBeUndefined()
  })

  it('inherits what it is not given', () => {
    const batch = { size: 2 }
    const parent = createContext({ acceptStream: true })
    const inner = parent.fork({ batch }).context
    expect(inner.acceptStream).toBe(true)
    expect(inner.fork({ acceptStream: false }).context).toMatchObject({ acceptStream: false, batch })
  })

  it('of a host’s context is of the same class', () => {
    class HostContext extends CallContext {
      readonly place: string
      constructor(init: ConstructorParameters<typeof CallContext>[0], place: string) {
        super(init)
        this.place = place
      }
      protected override derive(init: ConstructorParameters<typeof CallContext>[0]): this {
        return new HostContext(init, this.place) as this
      }
    }
    const clock = new FakeClock()
    const { context } = new HostContext({ clock, deadline: 10_000 }, 'a').fork({})
    expect(context.place).toBe('a')
    expect(context).toBeInstanceOf(HostContext)
  })
})

describe('listeners', () => {
  it('hear the first reason only', () => {
    const context = createContext()
    const heard: string[] = []
    context.onCancel(({ message }) => heard.push(message))
    context.cancel(why)
    context.cancel(new RpcError('timeout', 'too late'))
    expect(heard).toEqual(['the test aborts'])
    expect(context.cancelled).toBe(why)
  })

  it('that come late hear at once', () => {
    const context = createContext()
    context.cancel(why)
    let heard: RpcError | undefined
    context.onCancel((reason) => (heard = reason))
    expect(heard).toBe(why)
  })

  it('that were forgotten hear nothing', () => {
    const context = createContext()
    let heard = 0
    const forget = context.onCancel(() => heard++)
    forget()
    forget()
    context.cancel(why)
    expect(heard).toBe(0)
  })

  it('all hear, even where one of them throws', () => {
    const context = createContext()
    let heard = 0
    context.onCancel(() => {
      throw new Error('a bug')
    })
    context.onCancel(() => heard++)
    expect(() => context.cancel(why)).toThrowError('a bug')
    expect(heard).toBe(1)
  })
})

describe('a signal', () => {
  it('that the caller gave cancels the context, and is let go of afterwards', () => {
    const controller = new AbortController()
    const counted = countListeners(controller.signal)
    const context = createContext({ clock: new FakeClock(), signal: controller.signal })
    const settled = createContext({ clock: new FakeClock(), signal: controller.signal })
    expect(counted.size).toBe(2)
    settled.release()
    controller.abort(new Error('enough'))
    expect(context.cancelled?.code).toBe('aborted')
    expect(settled.cancelled).toBeUndefined()
    expect(counted.size).toBe(0)
  })

  it('that was aborted before cancels the context at once and starts no timer', () => {
    const clock = new FakeClock()
    expect(createContext({ clock, signal: AbortSignal.abort() }).cancelled?.code).toBe('aborted')
    expect(clock.timers).toBe(0)
  })

  it('of the context aborts with it, whenever it is read first', () => {
    const before = createContext()
    const { signal } = before
    expect(signal.aborted).toBe(false)
    before.cancel(why)
    expect(signal.reason).toBe(why)
    const after = createContext()
    after.cancel(why)
    expect(after.signal.reason).toBe(why)
  })
})

function countListeners(signal: AbortSignal): Set<unknown> {
  const listeners = new Set<unknown>()
  const { addEventListener, removeEventListener } = signal
  signal.addEventListener = (...args: Parameters<typeof addEventListener>) => {
    listeners.add(args[1])
    const once = args[1] as EventListener
    addEventListener.call(signal, 'abort', () => listeners.delete(once))
    addEventListener.apply(signal, args)
  }
  signal.removeEventListener = (...args: Parameters<typeof removeEventListener>) => {
    listeners.delete(args[1])
    removeEventListener.apply(signal, args)
  }
  return listeners
}
