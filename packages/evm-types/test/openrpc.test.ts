// Our checks take all that execution-apis specifies, and look at it.
import { readFileSync } from 'node:fs'
import type { Schema } from '@wayleave/jsonrpc-core/schema'
import { describe, expect, test } from 'vitest'
import {
  evmMethods,
  logSchema,
  type Receipt,
  receiptSchema,
  transactionCallSchema,
  transactionSchema,
} from '../src/index.ts'
import { altered, recorded } from './recorded.ts'

interface JsonSchema {
  readonly $ref?: string
  readonly enum?: readonly string[]
  readonly properties?: Readonly<Record<string, JsonSchema>>
  readonly required?: readonly string[]
  readonly allOf?: readonly JsonSchema[]
  readonly oneOf?: readonly JsonSchema[]
  readonly anyOf?: readonly JsonSchema[]
}
interface OpenRpc {
  readonly methods: readonly {
    readonly name: string
    readonly params: readonly { readonly name: string; readonly required?: boolean; readonly schema: JsonSchema }[]
    readonly result: { readonly schema: JsonSchema }
  }[]
  readonly components: { readonly schemas: Readonly<Record<string, JsonSchema>> }
}

const { methods, components } = JSON.parse(
  readFileSync(new URL('./vectors/openrpc.json', import.meta.url), 'utf8'),
) as OpenRpc
const answers = recorded('execution-apis-exchanges.json').flatMap((call) =>
  call.answer.error === undefined ? [{ method: call.method, result: call.answer.result }] : [],
)
const table: Readonly<Record<string, { readonly paramNames?: readonly string[] }>> = evmMethods

/** Names of all members that a schema knows, of whichever variant. */
function membersOf(schema: JsonSchema): string[] {
  const target = schema.$ref === undefined ? schema : components.schemas[schema.$ref.split('/').at(-1)!]!
  const parts = [...(target.allOf ?? []), ...(target.oneOf ?? []), ...(target.anyOf ?? [])]
  return [...new Set([...Object.keys(target.properties ?? {}), ...parts.flatMap(membersOf)])]
}
const named = (name: string): JsonSchema => ({ $ref: `#/${name}` })

describe.each(methods)('$name', ({ name, params }) => {
  test('takes the params of the specification, the same ones required', () => {
    const ours = table[name]?.paramNames ?? []
    const required = params.filter((param) => param.required === true).length
    // Nodes answer without percentiles, too.
    const lenient = name === 'eth_feeHistory' ? 1 : 0
    expect(ours.length).toBeGreaterThanOrEqual(params.length)
    expect(ours.filter((each) => !each.endsWith('?')).length).toBe(required - lenient)
  })

  test('takes every tag', () => {
    const tags = components.schemas['BlockTag']!.enum!
    expect(tags).toHaveLength(5)
    const { params: schema, blockParam } = evmMethods[name as 'eth_getStorageAt']
    if (blockParam === undefined) return
    for (const tag of tags) {
      const call = [...Array.from({ length: blockParam }, () => null), tag]
      expect(schema.check(call, '')?.path).not.toBe(`[${blockParam}]`)
    }
  })
})

const receipts = answers.flatMap(({ method, result }) =>
  method === 'eth_getTransactionReceipt' && result !== null ? [result as Receipt] : [],
)
const transactions = answers.flatMap(({ method, result }) =>
  method === 'eth_getTransactionByHash' && result !== null ? [result] : [],
)

test.each<[string, readonly string[], Pick<Schema<unknown>, 'check'>, readonly unknown[]]>([
  ['transaction', membersOf(named('TransactionInfo')), transactionSchema, transactions],
  ['receipt', membersOf(named('ReceiptInfo')), receiptSchema, receipts],
  ['log', membersOf(named('Log')), logSchema, receipts.flatMap(({ logs }) => logs)],
])('every member of a %s is looked at: a wrong form of it does not pass', (_, members, schema, values) => {
  expect(members.length).toBeGreaterThan(8)
  expect(values.length).toBeGreaterThan(0)
  for (const member of members) {
    for (const value of values)
      expect(schema.check(altered(value as object, [member], {}), '')?.path).toBe(`.${member}`)
  }
})

test('every member of a call object may be sent', () => {
  for (const member of membersOf(named('GenericTransaction'))) {
    // KZG data belongs to signing nodes.
    if (['blobs', 'commitments', 'proofs'].includes(member)) continue
    expect(transactionCallSchema.check({ [member]: 7 }, '')?.received, member).toBe('7')
  }
})
