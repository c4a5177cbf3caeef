import { describe, expect, it } from 'vitest'
import { createTurns } from '@wayleave/upstream'

/** Turns that the test takes. */
function scene(perTurn = 64) {
  const scheduled: (() => void)[] = []
  const turns = createTurns({ nextTurn: (run) => void scheduled.push(run), perTurn })
  const begun: string[] = []
  return {
    begun,
    scheduled,
    take(tenant: string, cost: number, name = tenant): void {
      const turn = turns.take(tenant, cost)
      if (turn === undefined) begun.push(name)
      else void turn.then(() => begun.push(name))
    },
    async next(): Promise<string[]> {
      begun.length = 0
      scheduled.shift()?.()
      await new Promise((resolve) => void setTimeout(resolve, 0))
      return [...begun]
    },
  }
}

describe('work', () => {
  it('begins at once while little was begun in this turn, and then waits for the next', async () => {
    const { take, begun, next } = scene(2)
    for (const name of ['1', '2', '3', '4', '5']) take('a', 1, name)
    expect(begun).toEqual(['1', '2'])
    expect(await next()).toEqual(['3', '4', '5'])
  })

  it('of projects that wait goes in turns, by its cost', async () => {
    const { take, next } = scene(64)
    take('first', 64)
    for (let i = 0; i < 200; i++) take('many', 1)
    take('large', 60)
    take('large', 60)
    for (let i = 0; i < 3; i++) take('few', 1)
    // Several projects call, so that a turn begins a quarter.
    expect((await next()).join(' ')).toMatch(/^(many ?){16}$/)
    let all = ''
    for (let i = 0; i < 40; i++) all += `${(await next()).join(' ')} `
    expect(all).toMatch(/^few few few many/)
    expect(all.match(/many/g)).toHaveLength(184)
    expect(all.match(/large/g)).toHaveLength(2)
  })

  it('of a project alone fills a turn, and with another one beside it a quarter', async () => {
    const { take, next } = scene(64)
    for (let i = 0; i < 200; i++) take('alone', 1)
    expect(await next()).toHaveLength(64)
    take('other', 1)
    expect(await next()).toHaveLength(16)
    for (let i = 0; i < 9; i++) await next()
    // Some time after the other one's last call it is alone again.
    for (let i = 0; i < 1_000; i++) take('alone', 50)
    expect(await next()).toHaveLength(1)
    for (let i = 0; i < 820; i++) await next()
    expect(await next()).toHaveLength(2)
  })

  it('that costs more than a turn leaves turns to others before the next of its project', async () => {
    const { take, begun, next } = scene()
    take('a', 5_000, 'a1')
    take('a', 5_000, 'a2')
    expect(begun).toEqual(['a1'])
    let turns = 0
    let b = ''
    for (; !(await next()).includes('a2'); turns++) {
      begun.length = 0
      take('b', 2, 'b')
      b += begun.join('')
    }
    expect(turns).toBe(31)
    expect(b).toBe('b'.repeat(31))
  })

  it('leaves nothing behind: no turn is asked for without it', async () => {
    const { take, next, scheduled } = scene()
    expect(scheduled).toHaveLength(0)
    take('a', 15)
    expect(scheduled).toHaveLength(0)
    take('a', 15)
    take('a', 1)
    expect(scheduled).toHaveLength(1)
    await next()
    expect(scheduled).toHaveLength(0)
  })
})
