import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { adaptCalls } from '../../src/adapter/index.ts'
import { methods as table } from '../../src/adapter/methods.ts'
import { starknetErrorsOf } from '../../src/errors.ts'
import { starknetMethods, type StarknetVersion, starknetVersions } from '../../src/index.ts'
import { exchanges } from './exchanges.ts'
import { keysOf, leavesOf, lostBetween } from './leaves.ts'
import { isRefusedAnswer, isToBeSignedAnew, isUnanswerable } from './refusals.ts'
import { pairs } from './support.ts'
import { issueIn } from './tables.ts'
import { since } from './things.ts'

/** `STARKNET_ADAPTER_RUNS` for more. */
const numRuns = Number(process.env['STARKNET_ADAPTER_RUNS'] ?? 1_000)

const methods = Object.keys(exchanges)
const isIn = (version: StarknetVersion, method: string): boolean => since(version, exchanges[method]!.first ?? '0.5.1')

const pairOf = fc.constantFrom(...pairs)
/** Mostly one that versions answer in different words. */
const methodOf = fc.oneof(fc.constantFrom(...methods), {
  arbitrary: fc.constantFrom(...methods.filter((method) => table[method]?.answer !== undefined)),
  weight: 3,
})

/** Params by name or by position, as a caller of the version writes them. */
function paramsOf(
  version: StarknetVersion,
  method: string,
): fc.Arbitrary<readonly unknown[] | Record<string, unknown>> {
  return fc.tuple(fc.record(exchanges[method]!.params(version)), fc.boolean()).map(([made, byName]) => {
    const present = Object.entries(made).filter(([, value]) => value !== undefined)
    // Only the last may be absent, so what is left keeps its place.
    return byName ? Object.fromEntries(present) : present.map(([, value]) => value)
  })
}

/** The method that a node is asked for in place of another one. */
function askedOf(caller: StarknetVersion, endpoint: StarknetVersion, method: string): string {
  const adaptation = isIn(caller, method) ? adaptCalls({ caller, endpoint })(method, []) : undefined
  return adaptation !== undefined && 'call' in adaptation ? adaptation.call.method : method
}

/** The block in the making, by the name that a version has for it. */
function renameTags(text: string, version: StarknetVersion): string {
  return text.replaceAll(/"(?:pending|pre_confirmed)"/g, since(version, '0.9') ? '"pre_confirmed"' : '"pending"')
}

/** The params by name, a list of one address as that address, and words as the older version has them. */
function saidIn(version: StarknetVersion, method: string, params: unknown): string[] {
  const names: readonly string[] = starknetMethods[version][method as 'starknet_call'].paramNames
  const byName = Array.isArray(params)
    ? Object.fromEntries(params.map((value: unknown, i) => [names[i]!.replace('?', ''), value]))
    : params
  return keysOf(leavesOf(JSON.parse(renameTags(JSON.stringify(byName), '0.5.1'))), (path) =>
    path === 'filter.address.0' ? 'filter.address' : path,
  )
}

/** The transactions that a call sends or tries out. */
function transactionsIn(method: string, params: readonly unknown[]): readonly unknown[] {
  if (method === 'starknet_estimateFee') return params[0] as unknown[]
  if (method === 'starknet_simulateTransactions') return params[1] as unknown[]
  return /_add\w+Transaction$/.test(method) ? params : []
}

describe('laws, of any two versions', () => {
  it('are of every method that the adapter knows and asks nodes for', () => {
    const asked = Object.entries(table).filter(
      ([name, { session }]) => session !== true && name !== 'starknet_specVersion',
    )
    expect(methods.toSorted()).toEqual(asked.map(([name]) => name).toSorted())
  })

  it('a call reaches the node whole, as one of its version, or is refused with a reason', () => {
    const cases = fc
      .tuple(pairOf, methodOf)
      .chain(([[caller, endpoint], method]) =>
        fc.tuple(
          fc.constant(caller),
          fc.constant(endpoint),
          fc.constant(method),
          isIn(caller, method) ? paramsOf(caller, method) : fc.constant([]),
        ),
      )
    let passed = 0
    let changed = 0
    let refused = 0
    fc.assert(
      fc.property(cases, ([caller, endpoint, method, params]) => {
        fc.pre(isIn(caller, method))
        expect(issueIn(caller, method, 'params', params)).toBeUndefined()
        const values = Array.isArray(params) ? (params as unknown[]) : Object.values(params)
        const toSign = transactionsIn(method, values).some((each) => isToBeSignedAnew(each, endpoint))
        const adaptation = adaptCalls({ caller, endpoint })(method, params)
        if ('refusal' in adaptation) {
          refused++
          const { code, message, data } = adaptation.refusal
          expect(message).toMatch(
            new RegExp(`^between a caller of Starknet RPC ${caller} and a node of ${endpoint}: .+`),
          )
          expect(data).toMatchObject({ caller, endpoint })
          if (code === -32601) expect(isIn(endpoint, method)).toBe(false)
          else if (code === -32603) expect(isUnanswerable(caller, endpoint, method)).toBe(true)
          else if (code === 61) expect(toSign && method.startsWith('starknet_add')).toBe(true)
          else {
            expect(code).toBe(-32602)
            if (toSign) return
            // A call that the node could have been told is not refused.
            const reported = JSON.parse(renameTags(JSON.stringify(values), endpoint)) as unknown[]
            expect(issueIn(endpoint, method, 'params', reported)).toBeDefined()
          }
          return
        }
        if (!('call' in adaptation)) throw new Error('answered')
        passed++
        expect(isIn(endpoint, method) && !toSign && !isUnanswerable(caller, endpoint, method)).toBe(true)
        const { call } = adaptation
        if (call.params !== params) changed++
        if (!Array.isArray(params)) expect(Array.isArray(call.params)).toBe(false)
        // Nodes exist that take no shorter list.
        if (Array.isArray(call.params) && call.params.length > 0)
          expect(call.params.length).toBe(starknetMethods[endpoint][method as 'starknet_call'].paramNames.length)
        expect(issueIn(endpoint, call.method, 'params', call.params)).toBeUndefined()
        expect(saidIn(endpoint, call.method, call.params)).toEqual(saidIn(caller, method, params))
      }),
      { numRuns },
    )
    expect(passed).toBeGreaterThan(numRuns / 2)
    expect(changed).toBeGreaterThan(numRuns / 10)
    expect(refused).toBeGreaterThan(numRuns / 20)
  })

  it('an answer reaches the caller whole, as one of its version, or is refused with a reason', () => {
    const cases = fc
      .tuple(pairOf, methodOf)
      .chain(([[caller, endpoint], method]) =>
        fc.tuple(
          fc.constant(caller),
          fc.constant(endpoint),
          fc.constant(method),
          isIn(endpoint, method) ? exchanges[askedOf(caller, endpoint, method)]!.result(endpoint) : fc.constant(null),
        ),
      )
    let passed = 0
    let changed = 0
    let refused = 0
    fc.assert(
      fc.property(cases, ([caller, endpoint, method, result]) => {
        fc.pre(isIn(caller, method) && isIn(endpoint, method))
        const asked = askedOf(caller, endpoint, method)
        expect(issueIn(endpoint, asked, 'result', result)).toBeUndefined()
        const adaptation = adaptCalls({ caller, endpoint })(method, [])
        expect('refusal' in adaptation).toBe(isUnanswerable(caller, endpoint, method))
        if ('refusal' in adaptation) {
          refused++
          return
        }
        if (!('call' in adaptation)) throw new Error('answered')
        let adapted = result
        try {
          if (adaptation.call.answer !== undefined) adapted = adaptation.call.answer(result)
        } catch (thrown) {
          refused++
          const { message } = thrown as Error
          expect(thrown).toBeInstanceOf(RangeError)
          expect(message).toContain(`caller of Starknet RPC ${caller} and a node of ${endpoint}: `)
          expect([message, isRefusedAnswer(caller, endpoint, method, message)]).toEqual([message, true])
          // An answer that the caller could have been told is not refused; 0.10 lets the root before a block be absent, and so do the checks of all versions.
          const toCome = /no (old_root),/.exec(message)?.[1]
          if (toCome === undefined) expect(issueIn(caller, method, 'result', result)).toBeDefined()
          else {
            const reported = leavesOf(result).filter(({ path }) => path.endsWith(toCome))
            expect(reported.length).toBeLessThan(Array.isArray(result) ? result.length : 1)
          }
          return
        }
        passed++
        if (adapted !== result) changed++
        // Receipts that were asked for to count events are not told.
        if (asked === method) expect(lostBetween(caller, endpoint, result, adapted)).toEqual([])
        expect(issueIn(caller, method, 'result', adapted)).toBeUndefined()
      }),
      { numRuns },
    )
    expect(passed).toBeGreaterThan(numRuns / 2)
    expect(changed).toBeGreaterThan(numRuns / 10)
    expect(refused).toBeGreaterThan(numRuns / 20)
  })

  it('an error has a code that the caller knows, and keeps its reason', () => {
    const code = fc.constantFrom(
      ...starknetVersions.flatMap((version) => Object.keys(starknetErrorsOf(version)).map(Number)),
    )
    const data = (reason: string): unknown[] => [
      reason,
      { revert_error: reason },
      {
        transaction_index: 0,
        execution_error: { contract_address: '0x1', class_hash: '0x2', selector: '0x3', error: reason },
      },
    ]
    const cases = fc.tuple(
      pairOf,
      methodOf,
      code,
      fc.uuid().chain((reason) => fc.tuple(fc.constant(reason), fc.constantFrom(...data(reason)))),
    )
    fc.assert(
      fc.property(cases, ([[caller, endpoint], method, errorCode, [reason, errorData]]) => {
        fc.pre(starknetErrorsOf(endpoint)[errorCode as 20] !== undefined)
        const adaptation = adaptCalls({ caller, endpoint })(method, [])
        if (!('call' in adaptation)) return
        const error = { code: errorCode, message: `message ${errorCode}`, data: errorData }
        const adapted = adaptation.call.error!(error)
        expect(starknetErrorsOf(caller)).toHaveProperty(String(adapted.code))
        expect(JSON.stringify(adapted)).toContain(reason)
        if (adapted.code !== errorCode && errorCode !== 25 && errorCode !== 29 && errorCode !== 40)
          expect(JSON.stringify(adapted)).toContain(error.message)
      }),
      { numRuns },
    )
  })

  it('a call between equal versions is the identity', () => {
    const cases = fc
      .tuple(fc.constantFrom(...starknetVersions), methodOf)
      .filter(([version, method]) => isIn(version, method))
      .chain(([version, method]) => fc.tuple(fc.constant(version), fc.constant(method), paramsOf(version, method)))
    fc.assert(
      fc.property(cases, ([version, method, params]) => {
        const adaptation = adaptCalls({ caller: version, endpoint: version })(method, params)
        expect(adaptation).toEqual({ call: { method, params, answer: undefined, error: undefined } })
        if ('call' in adaptation) expect(adaptation.call.params).toBe(params)
      }),
      { numRuns: numRuns / 10 },
    )
  })
})
