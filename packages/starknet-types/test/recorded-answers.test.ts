import { describe, expect, test } from 'vitest'
import { parseFelt, printFelt, starknetMethods, starknetVersions, type StarknetVersion } from '../src/index.ts'
import { altered, recorded } from './recorded.ts'

const calls = recorded()
const answered = calls.filter(({ answer }) => answer.result !== undefined)
const ofVersion = (version: StarknetVersion) => answered.filter((call) => call.version === version)

test('there are answers of every version since 0.6', () => {
  expect(calls).toHaveLength(34)
  for (const version of starknetVersions.slice(1)) expect(ofVersion(version).length, version).toBeGreaterThan(3)
})

test.each(answered.map((call) => [call.id, call] as const))('%s passes the check of its version', (_, call) => {
  expect(starknetMethods[call.version ?? '0.5.1'][call.method].result.check(call.answer.result, '')).toBeUndefined()
})

test('an answer of a version lacks what a later one requires', () => {
  for (const [earlier, later] of [
    ['0.6', '0.7'],
    ['0.7', '0.8'],
  ] as const) {
    for (const { method, answer } of ofVersion(earlier)) {
      expect(starknetMethods[later][method].result.check(answer.result, '')).toBeDefined()
    }
  }
})

test('answers of later versions pass earlier ones as far as their members agree: what is new is let through', () => {
  for (const { method, answer } of ofVersion('0.7')) {
    expect(starknetMethods['0.6'][method].result.check(answer.result, '')).toBeUndefined()
  }
  for (const { method, answer } of ofVersion('0.10')) {
    expect(starknetMethods['0.8'][method].result.check(answer.result, '')).toBeUndefined()
  }
})

describe('every member that 0.8 requires of a simulation is missed', () => {
  const call = ofVersion('0.8').find(({ method }) => method === 'starknet_simulateTransactions')!
  const { result } = starknetMethods['0.8'].starknet_simulateTransactions
  test.each([
    ['fee_estimation'],
    ['fee_estimation', 'l1_data_gas_price'],
    ['fee_estimation', 'unit'],
    ['transaction_trace'],
    ['transaction_trace', 'type'],
    ['transaction_trace', 'execution_resources'],
    ['transaction_trace', 'execution_resources', 'l1_data_gas'],
    ['transaction_trace', 'validate_invocation', 'is_reverted'],
    ['transaction_trace', 'validate_invocation', 'calls'],
    ['transaction_trace', 'state_diff', 'nonces'],
  ])('%s %s %s', (...path) => {
    const members = path.filter((each): each is string => typeof each === 'string')
    const issue = result.check(altered(call.answer.result, [0, ...members], undefined), '')
    expect(issue?.path).toBe(members.at(-1) === 'type' ? '[0].transaction_trace' : `[0].${members.join('.')}`)
  })
})

test('felts of nodes are canonical: reading and printing them changes no answer', () => {
  let felts = 0
  const again = (value: unknown): unknown => {
    if (typeof value === 'string' && value.startsWith('0x')) {
      felts++
      return printFelt(parseFelt(value))
    }
    if (Array.isArray(value)) return value.map(again)
    if (typeof value !== 'object' || value === null) return value
    return Object.fromEntries(Object.entries(value).map(([key, member]) => [key, again(member)]))
  }
  for (const { answer } of answered) expect(again(answer.result)).toEqual(answer.result)
  expect(felts).toBeGreaterThan(1_000)
})

test('the recorded requests are real transactions: those of version 1 pass up to 0.7, the others since 0.6', () => {
  const first = (params: unknown) => params as Record<string, readonly { readonly version: string }[]>
  let checked = 0
  for (const { method, params } of calls) {
    const list = first(params)[method === 'starknet_estimateFee' ? 'request' : 'transactions']!
    const versions = new Set(list.map(({ version }) => version))
    if (versions.size !== 1) continue
    const flags = { simulation_flags: [], ...(params as object) }
    const taken = starknetVersions.filter(
      (version) => starknetMethods[version][method].params.check(flags, '') === undefined,
    )
    if (versions.has('0x1')) {
      expect(taken).toEqual(['0.5.1', '0.6', '0.7'])
      checked++
    }
  }
  expect(checked).toBeGreaterThan(5)
})
