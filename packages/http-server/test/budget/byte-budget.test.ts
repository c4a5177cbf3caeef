import { expect, test } from 'vitest'
import { createTurns } from '@wayleave/upstream'
import { createByteBudget } from '../../src/budget/byte-budget.ts'
import { Holding } from '../../src/budget/holding.ts'

const MB = 1_000_000

function scene(capacity = 100 * MB) {
  const refused: string[] = []
  const turns = createTurns({ nextTurn: setImmediate })
  const onRefused = (project: string): void => void refused.push(project)
  const budget = createByteBudget({ capacity, turns, onRefused })
  return { budget, refused }
}

/** Takes pieces until one is refused; returns the bytes taken. */
function takeAll(account: { take(bytes: number): boolean }, piece: number): number {
  let taken = 0
  while (account.take(piece)) taken += piece
  return taken
}

test('a project alone has nine tenths, whatever the size of its pieces, and another one finds room', () => {
  for (const piece of [1_000, 300_000, 5 * MB]) {
    const { budget, refused } = scene()
    const taken = takeAll(budget.account('greedy'), piece)
    expect(taken).toBeGreaterThan(84 * MB)
    expect(taken).toBeLessThanOrEqual(90 * MB)
    expect(refused).toEqual(['greedy'])
    expect(budget.account('modest').take(2 * MB)).toBe(true)
    expect(refused).toEqual(['greedy'])
  }
})

test('accounts of projects that hold nothing are forgotten, those that hold something are not', () => {
  const { budget } = scene()
  const [holding, idle] = [budget.account('holding'), budget.account('idle')]
  expect(holding.take(MB)).toBe(true)
  for (let i = 0; i < 1_000; i++) budget.account(`passing-${i}`)
  expect(budget.account('holding')).toBe(holding)
  expect(budget.account('idle')).not.toBe(idle)
  // One who still has a forgotten account shares the capacity with the new one.
  expect(takeAll(idle, MB) + takeAll(budget.account('idle'), MB)).toBeLessThan(90 * MB)
  holding.give(MB)
})

test('two greedy projects end with equal parts, just under half each', () => {
  const { budget } = scene()
  const [one, other] = [budget.account('one'), budget.account('other')]
  const held = { one: takeAll(one, MB), other: 0 }
  for (let i = 0; i < 400; i++) {
    if (held.one > 0) {
      one.give(MB)
      held.one -= MB
    }
    held.other += takeAll(other, MB)
    held.one += takeAll(one, MB)
    if (i > 200) expect(held.one + held.other).toBeLessThanOrEqual(100 * MB)
  }
  expect(held.one).toBeGreaterThan(40 * MB)
  expect(held.one).toBeLessThan(50 * MB)
  expect(held.other).toBeGreaterThan(40 * MB)
})

test('never more than the capacity is held, and everything comes back', () => {
  const { budget } = scene(10 * MB)
  const accounts = Array.from({ length: 3 }, (_, i) => budget.account(`p${i}`))
  const taken = accounts.map((account) => takeAll(account, 1_234))
  expect(taken.every((bytes) => bytes > 0)).toBe(true)
  expect(budget.held).toBeLessThanOrEqual(10 * MB)
  for (const [i, account] of accounts.entries()) account.give(taken[i]!)
  expect(budget.held).toBe(0)
})

test('the gateway itself takes to the last byte', () => {
  const { budget, refused } = scene(MB)
  expect(takeAll(budget.account('greedy'), 1_000)).toBeGreaterThan(800_000)
  expect(takeAll(budget.account(undefined), 1_000)).toBeGreaterThan(80_000)
  expect(refused).toEqual(['greedy'])
})

test('a request gives back at its end what it took, once, and takes nothing afterwards', () => {
  const { budget } = scene(MB)
  const holding = new Holding(budget.account('p'))
  expect(holding.take(100_000)).toBe(true)
  expect(holding.takeResult(50_000)).toBe(true)
  expect(holding.results).toBe(50_000)
  expect(budget.held).toBeGreaterThanOrEqual(150_000)
  holding.end()
  holding.end()
  expect(budget.held).toBe(0)
  expect(holding.take(1)).toBe(false)
  expect(budget.held).toBe(0)
})

test('a refusal names the limit, and asks to come back', () => {
  const why = scene().budget.account('p').refusal()
  expect(why).toMatchObject({ code: 'overloaded', retryAfterMs: 1_000, rpc: { code: -32005 } })
  expect(why.rpc?.message).toContain('limits.maxHeldBytes')
})

test('what arrives faster than turns come waits for its turn, and another project has one in between', async () => {
  const { budget } = scene()
  const order: string[] = []
  const [greedy, good] = [budget.account('greedy'), budget.account('good')]
  const waits = Array.from({ length: 40 }, async () => {
    await greedy.arrive(262_144)
    order.push('greedy')
  })
  waits.push(
    (async () => {
      await good.arrive(65_536)
      order.push('good')
    })(),
  )
  await Promise.all(waits)
  expect(order.indexOf('good')).toBeLessThan(20)
})
