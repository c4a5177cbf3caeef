import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { adaptCalls } from '../../src/adapter/index.ts'
import { starknetErrorsOf } from '../../src/errors.ts'
import { starknetMethods, type StarknetVersion, starknetVersions } from '../../src/index.ts'
import { exchanges } from './exchanges.ts'
import { pairs } from './support.ts'
import { issueIn } from './tables.ts'
import { since } from './things.ts'

/** `STARKNET_ADAPTER_RUNS` for more. */
const numRuns = Number(process.env['STARKNET_ADAPTER_RUNS'] ?? 1_000)

const methods = Object.keys(exchanges)
const isIn = (version: StarknetVersion, method: string): boolean => since(version, exchanges[method]!.first ?? '0.5.1')

const pairOf = fc.constantFrom(...pairs)
const methodOf = fc.constantFrom(...methods)

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

/** Every scalar of a value; numbers and hex by what they count. */
function leaves(value: unknown, found: string[] = []): string[] {
  if (typeof value === 'object' && value !== null) for (const each of Object.values(value)) leaves(each, found)
  else found.push(/^(?:0x[0-9a-f]+|\d+)$/.test(String(value)) ? String(BigInt(String(value))) : String(value))
  return found
}

/** What is in the first list and not in the second one, each as often as it is there. */
function lost(before: readonly string[], after: readonly string[]): readonly string[] {
  const left = new Map<string, number>()
  for (const each of after) left.set(each, (left.get(each) ?? 0) + 1)
  return before.filter((each) => {
    const count = left.get(each) ?? 0
    left.set(each, count - 1)
    return count < 1
  })
}

/** The block in the making, by the name that a version has for it. */
function renameTags(text: string, version: StarknetVersion): string {
  return text.replaceAll(/"(?:pending|pre_confirmed)"/g, since(version, '0.9') ? '"pre_confirmed"' : '"pending"')
}

const asOlder = (text: string): string => (text === 'pre_confirmed' ? 'pending' : text)

describe('laws, of any two versions', () => {
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
    fc.assert(
      fc.property(cases, ([caller, endpoint, method, params]) => {
        fc.pre(isIn(caller, method))
        expect(issueIn(caller, method, 'params', params)).toBeUndefined()
        const adaptation = adaptCalls({ caller, endpoint })(method, params)
        if ('refusal' in adaptation) {
          const { code, message, data } = adaptation.refusal
          expect([-32601, -32602, -32603, 61]).toContain(code)
          expect(message).toMatch(
            new RegExp(`^between a caller of Starknet RPC ${caller} and a node of ${endpoint}: .+`),
          )
          expect(data).toMatchObject({ caller, endpoint })
          // What the node could have been told is not refused; of transactions a table does not say what a hash covers.
          if (code !== -32602 || /estimateFee|simulate|add/.test(method)) return
          const told = JSON.parse(renameTags(JSON.stringify(Object.values(params)), endpoint)) as unknown[]
          expect(issueIn(endpoint, method, 'params', told)).toBeDefined()
          return
        }
        if (!('call' in adaptation)) throw new Error('answered')
        passed++
        const { call } = adaptation
        if (!Array.isArray(params)) expect(Array.isArray(call.params)).toBe(false)
        // Nodes exist that take no shorter list.
        if (Array.isArray(call.params) && call.params.length > 0)
          expect(call.params.length).toBe(starknetMethods[endpoint][method as 'starknet_call'].paramNames.length)
        expect(issueIn(endpoint, call.method, 'params', call.params)).toBeUndefined()
        expect(leaves(call.params).map(asOlder).toSorted()).toEqual(leaves(params).map(asOlder).toSorted())
      }),
      { numRuns },
    )
    expect(passed).toBeGreaterThan(numRuns / 4)
  })

  it('an answer reaches the caller whole, as one of its version, or is refused with a reason', () => {
    const cases = fc
      .tuple(pairOf, methodOf)
      .chain(([[caller, endpoint], method]) =>
        fc.tuple(
          fc.constant(caller),
          fc.constant(endpoint),
          fc.constant(method),
          isIn(endpoint, method) ? exchanges[method]!.result(endpoint) : fc.constant(null),
        ),
      )
    let passed = 0
    fc.assert(
      fc.property(cases, ([caller, endpoint, method, result]) => {
        fc.pre(isIn(caller, method) && isIn(endpoint, method))
        expect(issueIn(endpoint, method, 'result', result)).toBeUndefined()
        const adaptation = adaptCalls({ caller, endpoint })(method, [])
        // Nothing that the node answers would do.
        if ('refusal' in adaptation) {
          expect(since(caller, endpoint)).toBe(true)
          return
        }
        if (!('call' in adaptation)) throw new Error('answered')
        let adapted = result
        try {
          if (adaptation.call.answer !== undefined) adapted = adaptation.call.answer(result)
        } catch (thrown) {
          expect(thrown).toBeInstanceOf(RangeError)
          expect((thrown as RangeError).message).toContain(
            `caller of Starknet RPC ${caller} and a node of ${endpoint}: `,
          )
          return
        }
        passed++
        expect(lost(leaves(result), leaves(adapted))).toEqual([])
        if (!isUntold(caller, result)) expect(issueIn(caller, method, 'result', adapted)).toBeUndefined()
      }),
      { numRuns },
    )
    expect(passed).toBeGreaterThan(numRuns / 4)
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

/** A transaction of version 3 is none of 0.5.1, and reaches its callers as it is. */
function isUntold(caller: StarknetVersion, result: unknown): boolean {
  return caller === '0.5.1' && JSON.stringify(result).includes('"version":"0x3"')
}
