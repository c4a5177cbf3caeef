// The OpenRPC documents of 0.5.1 as one that a validator can read, and values that it allows.
import { readFileSync } from 'node:fs'
import { Ajv, type ValidateFunction } from 'ajv'
import fc from 'fast-check'

/** The part of JSON Schema that the documents use. */
export interface JsonSchema {
  readonly $ref?: string
  readonly type?: string
  readonly enum?: readonly string[]
  readonly pattern?: string
  readonly minimum?: number
  readonly items?: JsonSchema
  readonly properties?: Readonly<Record<string, JsonSchema>>
  readonly required?: readonly string[]
  readonly allOf?: readonly JsonSchema[]
  readonly anyOf?: readonly JsonSchema[]
}

interface Part {
  readonly methods: readonly {
    readonly name: string
    readonly params: readonly { readonly name: string; readonly required: boolean; readonly schema: JsonSchema }[]
    readonly result: { readonly schema: JsonSchema }
    readonly errors: readonly { readonly $ref: string }[]
  }[]
  readonly components: {
    readonly schemas: Readonly<Record<string, JsonSchema>>
    readonly errors: Readonly<Record<string, { readonly code: number; readonly message: string }>>
  }
}

const file = JSON.parse(readFileSync(new URL('./vectors/openrpc-v0.5.1.json', import.meta.url), 'utf8')) as Record<
  'api' | 'trace',
  unknown
>

/**
 * Mends parts that no validator could take: files of the same folder, which are the other part here; a `schema` inside of a schema;
 * `oneOf` where a value may be of both: every call is also an object that may lack `revert_reason`; and parts of an object
 * that allow nothing but themselves. Adds what it says by
 * its words alone: what has members is an object, and has all of them where it does not say which; but a place in an order
 * may be absent, and so may kinds of entry points.
 */
function mended(part: 'api' | 'trace'): Part {
  const text = JSON.stringify(file[part])
    .replace(/"[./]*(?:api\/)?starknet_api_openrpc\.json#/g, '"api#')
    .replaceAll('"#/components', `"${part}#/components`)
    .replaceAll('"oneOf":', '"anyOf":')
    .replace(/"required":"revert_error"/g, '"required":["revert_error"]')
    .replaceAll(/,"additionalProperties":false/g, '')
  return JSON.parse(text, (_, value: unknown) => {
    if (typeof value !== 'object' || value === null) return value
    const { schema, properties, required } = value as JsonSchema & { readonly schema?: JsonSchema }
    if (schema !== undefined && Object.keys(value).length === 1) return schema
    if (properties === undefined) return value
    const all = 'order' in properties || 'CONSTRUCTOR' in properties ? [] : Object.keys(properties)
    return { type: 'object', ...value, required: required ?? all }
  }) as Part
}

/** The documents, by the names that references have. */
export const parts: Readonly<Record<'api' | 'trace', Part>> = { api: mended('api'), trace: mended('trace') }

/** Every method of the documents, with its params as the one object that they are by name. */
export const documented: readonly {
  readonly name: string
  readonly paramNames: readonly string[]
  readonly errors: readonly number[]
  readonly params: JsonSchema
  readonly result: JsonSchema
}[] = [parts.api, parts.trace].flatMap((part) =>
  part.methods.map(({ name, params, result, errors }) => ({
    name,
    paramNames: params.map((param) => param.name),
    errors: errors.map(({ $ref }) => part.components.errors[$ref.split('/').at(-1)!]!.code),
    params: {
      type: 'object',
      properties: Object.fromEntries(params.map((param) => [param.name, param.schema])),
      required: params.map((param) => param.name),
    },
    result: result.schema,
  })),
)

const component = (...names: readonly string[]): JsonSchema => ({
  anyOf: names.map((name) => ({ $ref: `api#/components/schemas/${name}` })),
})
const all = (...allOf: readonly JsonSchema[]): JsonSchema => ({ allOf })
const member = (name: string, schema: JsonSchema): JsonSchema => ({
  type: 'object',
  properties: { [name]: schema },
  required: [name],
})
const ofBlock = member('block_id', component('BLOCK_ID'))
const transaction = all(component('TXN'), member('transaction_hash', component('TXN_HASH')))

/** Schemas of methods that the documents do not list: the other methods of the version. */
export const components: readonly {
  readonly name: string
  readonly part: 'params' | 'result'
  readonly schema: JsonSchema
}[] = [
  ['getBlockWithTxHashes', 'result', component('BLOCK_WITH_TX_HASHES')] as const,
  ['getBlockWithTxHashes', 'result', component('PENDING_BLOCK_WITH_TX_HASHES')] as const,
  ['getBlockWithTxs', 'result', component('BLOCK_WITH_TXS')] as const,
  ['getBlockWithTxs', 'result', component('PENDING_BLOCK_WITH_TXS')] as const,
  ['getStateUpdate', 'result', component('STATE_UPDATE')] as const,
  ['getStateUpdate', 'result', component('PENDING_STATE_UPDATE')] as const,
  ['getTransactionByHash', 'result', transaction] as const,
  ['getTransactionByBlockIdAndIndex', 'result', transaction] as const,
  ['getTransactionReceipt', 'result', component('TXN_RECEIPT')] as const,
  ['getTransactionReceipt', 'result', component('PENDING_TXN_RECEIPT')] as const,
  ['getClass', 'result', component('CONTRACT_CLASS', 'DEPRECATED_CONTRACT_CLASS')] as const,
  ['getEvents', 'params', member('filter', all(component('EVENT_FILTER'), component('RESULT_PAGE_REQUEST')))] as const,
  ['getEvents', 'result', component('EVENTS_CHUNK')] as const,
  ['syncing', 'result', component('SYNC_STATUS')] as const,
  ['call', 'params', all(member('request', component('FUNCTION_CALL')), ofBlock)] as const,
  ['estimateMessageFee', 'params', all(member('message', component('MSG_FROM_L1')), ofBlock)] as const,
  ['estimateMessageFee', 'result', component('FEE_ESTIMATE')] as const,
  ['addInvokeTransaction', 'params', member('invoke_transaction', component('BROADCASTED_INVOKE_TXN'))] as const,
  ['addDeclareTransaction', 'params', member('declare_transaction', component('BROADCASTED_DECLARE_TXN'))] as const,
  [
    'addDeployAccountTransaction',
    'params',
    member('deploy_account_transaction', component('BROADCASTED_DEPLOY_ACCOUNT_TXN')),
  ] as const,
].map(([name, part, schema]) => ({ name: `starknet_${name}`, part, schema }))

const ajv = new Ajv({
  strict: false,
  schemas: (['api', 'trace'] as const).map((part) => ({ $id: part, components: parts[part].components })),
})

/** A validator of one schema of the documents. */
export function validator(schema: JsonSchema): ValidateFunction {
  return ajv.compile(schema)
}

function resolved($ref: string): JsonSchema {
  const [part, path] = $ref.split('#') as ['api' | 'trace', string]
  return parts[part].components.schemas[path.split('/').at(-1)!]!
}

const felt = fc
  .oneof(fc.bigInt({ min: 0n, max: 2n ** 251n }), fc.nat().map(BigInt))
  .map((value) => `0x${value.toString(16)}`)

/** Versions by kind, which stand as they are or as a query, where the document takes any number. */
const versions: Readonly<Record<string, string>> = {
  INVOKE_TXN_V1: '1',
  BROADCASTED_DECLARE_TXN_V1: '1',
  BROADCASTED_DECLARE_TXN_V2: '2',
  DEPLOY_ACCOUNT_TXN_V1: '1',
}

/** Values that a schema of the documents allows. */
export function valuesOf(schema: JsonSchema, depth = 9): fc.Arbitrary<unknown> {
  if (schema.$ref !== undefined) {
    const values = valuesOf(resolved(schema.$ref), depth - 1)
    const version = versions[schema.$ref.split('/').at(-1)!]
    if (version === undefined) return values
    const forms = fc.constantFrom(`0x${version}`, `0x10000000000000000000000000000000${version}`)
    return fc.tuple(values, forms).map(([value, form]) => ({ ...(value as object), version: form }))
  }
  if (schema.allOf !== undefined) {
    const each = schema.allOf
    // A kind beside what all kinds have in common says which one it is.
    const kind = each.find(({ properties }) => properties?.['type']?.enum?.length === 1)?.properties!['type']!.enum![0]
    return fc
      .tuple(...each.map((part) => valuesOf(part, depth)))
      .map((values) => Object.assign({}, ...values, kind !== undefined && { type: kind }) as object)
  }
  if (schema.anyOf !== undefined) return fc.oneof(...schema.anyOf.map((each) => valuesOf(each, depth)))
  if (schema.enum !== undefined) return fc.constantFrom(...schema.enum)
  if (schema.properties !== undefined) {
    const members = Object.entries(schema.properties).map(([key, each]) => [key, valuesOf(each, depth)] as const)
    const requiredKeys = schema.required ?? []
    return fc.record(Object.fromEntries(members), { requiredKeys: [...requiredKeys], noNullPrototype: true })
  }
  if (schema.type === 'array') {
    return depth <= 0 ? fc.constant([]) : fc.array(valuesOf(schema.items!, depth - 1), { maxLength: 2 })
  }
  if (schema.type === 'integer' || schema.type === 'number')
    return fc.integer({ min: schema.minimum ?? 0, max: 2 ** 31 })
  if (schema.pattern?.endsWith('{40}$') === true) return fc.constant(`0x${'0aF3'.repeat(10)}`)
  if (schema.pattern?.startsWith('^0x') === true) return felt
  return schema.pattern === undefined ? fc.string() : fc.base64String()
}
