import { createContext, coalesce, rawJsonFromText, type RpcContext } from '@wayleave/jsonrpc-core'
import { FakeClock } from '@wayleave/jsonrpc-core/testing'
import { expect, test } from 'vitest'
import { createByteBudget, flightAccount } from '@wayleave/http-server'
import { createTurns } from '@wayleave/upstream'
import { call } from '../support.ts'

test('an answer that several projects wait for is paid by one that can, and given back to it', async () => {
  const clock = new FakeClock()
  const turns = createTurns({ nextTurn: (run) => void setImmediate(run) })
  const budget = createByteBudget({ capacity: 100_000_000, turns, onRefused() {} })
  const greedy = budget.account('greedy')
  while (greedy.take(10_000)) continue
  const before = budget.held
  let flight: RpcContext | undefined
  const shared = coalesce({ clock, key: () => 'one' })(async (_request, context) => {
    flight = context
    return { result: rawJsonFromText('1') }
  })
  const ask = (tenant: string) => shared(call('eth_getLogs'), createContext({ clock, timeoutMs: 1_000, tenant }))
  const answers = [ask('greedy')]
  const account = flightAccount(flight!, budget)
  expect(account.take(500_000)).toBe(false)
  answers.push(ask('good'))
  expect(account.take(500_000)).toBe(true)
  expect(await account.arrive?.(500_000)).toBe(true)
  expect(budget.held).toBeGreaterThan(before + 900_000)
  account.give(1_000_000)
  expect(budget.held).toBe(before)
  await Promise.all(answers)
})
