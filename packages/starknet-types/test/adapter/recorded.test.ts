import { readFileSync } from 'node:fs'
import {
  createContext,
  type RawJson,
  rawJsonFromText,
  rawJsonFromValue,
  type RpcErrorObject,
  type RpcResponse,
} from '@wayleave/jsonrpc-core'
import { Ajv } from 'ajv'
import { describe, expect, it } from 'vitest'
import { readExact } from '../../src/adapter/exact-json.ts'
import { adaptCalls, adaptStarknet } from '../../src/adapter/index.ts'
import { type StarknetVersion, starknetVersions, versionOf } from '../../src/index.ts'
import { leavesOf, lostBetween } from './leaves.ts'
import { issueIn } from './tables.ts'

interface Recorded {
  readonly id: string
  readonly method: string
  readonly version: StarknetVersion
  readonly result: readonly unknown[]
}

const read = (name: string): unknown =>
  JSON.parse(readFileSync(new URL(`../vectors/${name}.json`, import.meta.url), 'utf8'))

const { cases } = read('recorded-answers') as {
  cases: { id: string; method: string; exchanges: { response: string }[] }[]
}

/** Results, each in its version: those that pathfinder gave, and one as the specification shows it. */
const recorded = cases.flatMap(({ id, method, exchanges }): Recorded[] => {
  // The one without a version has the shape of 0.5.1, which the specification shows.
  const version = versionOf(/\/(\d+\.\d+\.\d+)-/.exec(id)?.[1] ?? '0.5.1')
  const { result } = JSON.parse(exchanges[0]!.response) as { result?: readonly unknown[] }
  return version === undefined || result === undefined ? [] : [{ id, method, version, result }]
})

const feesOf = ({ method }: Recorded, result: readonly unknown[]): string[] =>
  result.map((each) => {
    const estimate = method === 'starknet_estimateFee' ? each : (each as { fee_estimation: unknown }).fee_estimation
    return (estimate as { overall_fee: string }).overall_fee
  })

function adapted(answer: Recorded, caller: StarknetVersion): readonly unknown[] | RangeError | undefined {
  const adaptation = adaptCalls({ caller, endpoint: answer.version })(answer.method, [])
  if (!('call' in adaptation)) return undefined
  try {
    return (adaptation.call.answer?.(answer.result) ?? answer.result) as readonly unknown[]
  } catch (thrown) {
    return thrown as RangeError
  }
}

/** Checks an element of a list that a method answers, by the document of 0.5.1. */
function checkOf(method: string): (value: unknown) => string {
  const { api, trace } = read('openrpc-v0.5.1') as { api: object; trace: object }
  const ajv = new Ajv({ strict: false, validateFormats: false })
  for (const path of ['', 'api/']) ajv.addSchema({ ...api, $id: `https://starknet/${path}starknet_api_openrpc.json` })
  // Both alternatives of an `execute_invocation` fit a call, so `oneOf` there would refuse all of them.
  ajv.addSchema({
    ...(JSON.parse(JSON.stringify(trace).replaceAll('"oneOf"', '"anyOf"')) as object),
    $id: 'https://starknet/trace.json',
  })
  const validate = ajv.getSchema(
    method === 'starknet_estimateFee'
      ? 'https://starknet/starknet_api_openrpc.json#/components/schemas/FEE_ESTIMATE'
      : 'https://starknet/trace.json#/methods/1/result/schema/items/schema',
  )!
  return (value) => (validate(value) === true ? 'valid' : ajv.errorsText(validate.errors))
}

describe('recorded answers', () => {
  it('are there, of every version', () => {
    expect(new Set(recorded.map(({ version }) => version))).toEqual(new Set(starknetVersions))
    expect(cases).toHaveLength(34)
    expect(recorded).toHaveLength(26)
  })

  it.each(recorded)('$id: every version takes it as its own, and the overall fee is the same', (answer) => {
    for (const caller of starknetVersions) {
      const result = adapted(answer, caller)
      if (Array.isArray(result)) {
        expect(feesOf(answer, result)).toEqual(feesOf(answer, answer.result))
        expect(issueIn(caller, answer.method, 'result', result)).toBeUndefined()
        // An older caller gets an answer always.
      } else expect(starknetVersions.indexOf(caller)).toBeGreaterThan(starknetVersions.indexOf(answer.version))
    }
  })

  it.each(recorded)('$id: the document of 0.5.1 accepts it as that of 0.5.1', (answer) => {
    const check = checkOf(answer.method)
    const result = adapted(answer, '0.5.1') as readonly unknown[]
    for (const each of result) expect(check(each)).toBe('valid')
    // Estimates of 0.8 and later are none of 0.5.1 before.
    if (!['0.5.1', '0.6', '0.7'].includes(answer.version)) expect(check(answer.result[0])).not.toBe('valid')
  })

  it.each(cases)('$id: keeps every value, between equal versions and adapted', async ({ id, method, exchanges }) => {
    const raw = rawJsonFromText(exchanges[0]!.response)
    const { value, print } = readExact(raw)
    expect(print(value).text()).toBe(JSON.stringify(JSON.parse(raw.text())))

    const { result, error } = value as { result?: unknown; error?: RpcErrorObject }
    const own = recorded.find((each) => each.id === id)?.version
    const answer: RpcResponse =
      error === undefined ? { result: rawJsonFromValue(result) } : { error: { ...error, raw: rawJsonFromValue(error) } }
    for (const endpoint of own === undefined ? starknetVersions : [own]) {
      for (const caller of starknetVersions) {
        let isAsked = false
        const handler = adaptStarknet({ caller, endpoint })(async () => {
          isAsked = true
          return answer
        })
        const request = { method, params: rawJsonFromText('[]'), notification: false }
        const response = await handler(request, createContext({ timeoutMs: 1_000 }))
        if (caller === endpoint) expect(response).toBe(answer)
        if (!isAsked || (error === undefined && response.error !== undefined)) {
          expect(starknetVersions.indexOf(caller)).toBeGreaterThan(starknetVersions.indexOf(endpoint))
        } else if (error !== undefined) {
          const reported = new Set(leavesOf(response.error).map((leaf) => leaf.value))
          expect(leavesOf(error).filter((leaf) => !reported.has(leaf.value))).toEqual([])
        } else expect(lostBetween(caller, endpoint, result, (response.result as RawJson).value())).toEqual([])
      }
    }
  })

  it('of 0.7 tell 0.8 nothing where L2 gas was paid for', () => {
    const [paid] = recorded.filter(({ id }) => id === 'starknet_estimateFee/0.7.0-declare_deploy_invoke_sierra_0_14_1')
    expect(adapted(paid!, '0.8')).toBeInstanceOf(RangeError)
    const [plain] = recorded.filter(({ id }) => id === 'starknet_estimateFee/0.7.0-declare_deploy_invoke_sierra_0_13_1')
    expect(adapted(plain!, '0.10')).toBeInstanceOf(Array)
  })
})
