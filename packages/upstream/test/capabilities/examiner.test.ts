import { FakeClock } from '@wayleave/jsonrpc-core/testing'
import { createExaminer, type Endpoint } from '@wayleave/upstream'
import { describe, expect, it } from 'vitest'
import { answering, call } from '../support.ts'

const endpoint = (name: string, handler: Endpoint['handler'] = answering(name)): Endpoint => ({
  name,
  handler,
  carriesSubscriptions: false,
})
const settle = async (): Promise<void> => {
  for (let i = 0; i < 20; i++) await Promise.resolve()
}

describe('an examiner', () => {
  it('examines each upstream a while after the first caller, and again once the time has come', async () => {
    const clock = new FakeClock(0)
    const examined: string[] = []
    const endpoints = [endpoint('a'), endpoint('b')]
    const examiner = createExaminer({
      endpoints,
      clock,
      startMs: 500,
      everyMs: 1_000,
      examine: async ({ name }) => examined.push(name) > 0,
    })
    clock.advance(10_000)
    examiner.wanted()
    clock.advance(499)
    examiner.wanted()
    expect(examined).toEqual([])
    clock.advance(1)
    examiner.wanted()
    examiner.wanted()
    expect(examined).toEqual(['a', 'b'])
    await settle()
    clock.advance(999)
    examiner.wanted()
    expect(examined).toEqual(['a', 'b'])
    clock.advance(1)
    examiner.wanted()
    expect(examined).toEqual(['a', 'b', 'a', 'b'])
  })

  it('leaves one alone that another examiner has looked at, until its time has come', async () => {
    const clock = new FakeClock(0)
    const examined: string[] = []
    const examinedAt = new Map<string, number>()
    const examine = async ({ name }: Endpoint): Promise<boolean> => examined.push(name) > 0 && name !== 'b'
    const options = { clock, everyMs: 1_000, examine }
    createExaminer({ ...options, endpoints: [endpoint('a'), endpoint('b')], examinedAt }).wanted()
    await settle()
    expect([...examinedAt.keys()]).toEqual(['a'])
    clock.advance(600)
    const next = createExaminer({ ...options, endpoints: [endpoint('a'), endpoint('b')], examinedAt })
    next.wanted()
    await settle()
    expect(examined).toEqual(['a', 'b', 'b'])
    clock.advance(400)
    next.wanted()
    expect(examined.filter((name) => name === 'a')).toHaveLength(2)
  })

  it('examines one whose connection broke soon, but not at once again', async () => {
    const clock = new FakeClock(0)
    let examined = 0
    const examine = async (): Promise<boolean> => ++examined > 0
    const examiner = createExaminer({ endpoints: [endpoint('a')], clock, soonestMs: 100, examine })
    examiner.wanted()
    await settle()
    examiner.doubt('a')
    examiner.wanted()
    expect(examined).toBe(1)
    clock.advance(100)
    examiner.wanted()
    expect(examined).toBe(2)
  })

  it('tries again soon where an upstream cannot be examined', async () => {
    const clock = new FakeClock(0)
    let tries = 0
    const examiner = createExaminer({
      endpoints: [endpoint('a')],
      clock,
      retryMs: 500,
      everyMs: 60_000,
      examine: async () => ++tries > 1,
    })
    examiner.wanted()
    for (let i = 0; i < 4; i++) {
      clock.advance(500)
      examiner.wanted()
      await settle()
    }
    expect(tries).toBe(2)
  })

  it('ends the examination of an upstream that may not be asked any more', async () => {
    const clock = new FakeClock(0)
    const asked: string[] = []
    let left = 1
    const examiner = createExaminer({
      endpoints: [endpoint('a')],
      clock,
      mayAsk: ({ name }, { method }) => name === 'a' && method === 'eth_capabilities' && left-- > 0,
      onAsk: (_, { method }) => void asked.push(method),
      async examine(_, ask) {
        for (let i = 0; i < 3; i++) await ask(call('eth_capabilities'))
        return true
      },
    })
    examiner.wanted()
    examiner.wanted()
    await settle()
    expect([asked, left]).toEqual([['eth_capabilities'], -1])
  })

  it('asks no more questions than allowed, and tells of each', async () => {
    const clock = new FakeClock(0)
    const reported: string[] = []
    const failures: unknown[] = []
    const examiner = createExaminer({
      endpoints: [endpoint('a')],
      clock,
      mostQuestions: 2,
      onAsk: ({ name }, { method }) => void reported.push(`${name} ${method}`),
      async examine(_, ask) {
        for (let i = 0; i < 3; i++)
          await ask(call('eth_capabilities')).catch((thrown: unknown) => failures.push(thrown))
        return true
      },
    })
    examiner.wanted()
    examiner.wanted()
    await settle()
    expect(reported).toEqual(['a eth_capabilities', 'a eth_capabilities'])
    expect(failures).toMatchObject([{ code: 'aborted' }])
  })

  it('gives a silent upstream a deadline, and cancels its question when it is closed', async () => {
    const clock = new FakeClock(0)
    const failures: unknown[] = []
    const silent = endpoint('a', () => new Promise(() => {}))
    const examiner = createExaminer({
      endpoints: [silent],
      clock,
      timeoutMs: 50,
      async examine(_, ask) {
        for (let i = 0; i < 2; i++)
          await ask(call('eth_capabilities')).catch((thrown: unknown) => failures.push(thrown))
        return true
      },
    })
    examiner.wanted()
    examiner.wanted()
    clock.advance(50)
    await settle()
    expect(failures).toMatchObject([{ code: 'timeout' }])
    examiner.close()
    await settle()
    expect(failures).toMatchObject([{ code: 'timeout' }, { code: 'aborted' }])
  })
})
