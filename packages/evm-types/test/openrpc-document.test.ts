import * as metaModule from '@open-rpc/meta-schema'
import { evmMethods } from '@wayleave/evm-types'
import { evmOpenRpcDocument } from '@wayleave/evm-types/openrpc'
import type { MethodFacts } from '@wayleave/jsonrpc-core/schema'
import { Ajv, type ValidateFunction } from 'ajv'
import { describe, expect, it } from 'vitest'
import { recorded } from './recorded.ts'

// Its types declare a default export, which Node sees as a member.
const { openrpcDocument: metaSchema } = metaModule as unknown as { readonly openrpcDocument: object }
const document = evmOpenRpcDocument('1.0.0')
const calls = ['execution-apis-exchanges.json', 'other-answers.json'].flatMap((file) =>
  recorded(file).filter(({ method }) => Object.hasOwn(evmMethods, method)),
)

const ajv = new Ajv({ strict: false, schemas: [{ $id: 'document', components: document.components }] })
const compiled = new Map<object, ValidateFunction>()

/** The document's own schemas refer to each other from its root. */
function accepts(schema: object, value: unknown): boolean {
  let validate = compiled.get(schema)
  if (validate === undefined) {
    const rooted = JSON.stringify(schema).replaceAll('"#/components/', '"document#/components/')
    validate = ajv.compile(JSON.parse(rooted) as object)
    compiled.set(schema, validate)
  }
  return validate(value)
}

function methodNamed(name: string): (typeof document.methods)[number] {
  return document.methods.find((method) => method.name === name)!
}

describe('the OpenRPC document', () => {
  it('is valid by the meta-schema of OpenRPC', () => {
    const meta = new Ajv({ strict: false, validateFormats: false })
    // The meta-schema knows draft 7 by another address, where `$ref` has a place of its own.
    meta.addSchema({
      $id: 'https://meta.json-schema.tools/',
      $ref: 'http://json-schema.org/draft-07/schema#',
      definitions: { JSONSchemaObject: { properties: { $ref: { type: 'string', format: 'uri-reference' } } } },
    })
    const text = JSON.stringify(metaSchema).replaceAll(
      '"https://meta.json-schema.tools"',
      '"https://meta.json-schema.tools/"',
    )
    const validate = meta.compile({
      ...(JSON.parse(text) as object),
      $schema: 'http://json-schema.org/draft-07/schema#',
    })
    expect([validate(document), validate.errors]).toEqual([true, null])
    expect(validate({ ...document, methods: [{ ...document.methods[0], name: 1 }] })).toBe(false)
    const params = [{ name: 'block', schema: { type: 'nonsense' } }]
    expect(validate({ ...document, methods: [{ ...document.methods[0], params }] })).toBe(false)
  })

  it('has every method of the table, each param with a name and a schema that says more than words', () => {
    expect(document.methods.map(({ name }) => name)).toEqual(Object.keys(evmMethods))
    const vague = document.methods.flatMap(({ name, params }) =>
      params
        .filter(({ schema }) => Object.keys(schema).every((key) => key === 'description'))
        .map((p) => [name, p.name]),
    )
    expect(vague).toEqual([['eth_subscribe', 'argument']])
  })

  it('says of every method what the table says of it', () => {
    const facts: MethodFacts = evmMethods
    for (const method of document.methods) {
      const { effect, cache, summary } = facts[method.name]!
      expect([method['x-effect'], method['x-cache'], method.summary]).toEqual([effect, cache, summary])
      const names = method.params.map(({ name }) => name)
      expect(new Set(names).size, method.name).toBe(names.length)
    }
  })

  it('gives one title to one shape, as code generators make a type of each', () => {
    const shapes = new Map<string, string>()
    JSON.stringify(document, (_, value: unknown) => {
      const { title, properties } = Object(value) as { readonly title?: string; readonly properties?: object }
      if (title === undefined || properties === undefined) return value
      const members = Object.keys(properties).join()
      expect(shapes.get(title) ?? members, title).toBe(members)
      shapes.set(title, members)
      return value
    })
    expect(shapes.size).toBeGreaterThan(30)
    expect(document.components.schemas).toHaveProperty('Header')
    expect(document.components.schemas).toHaveProperty('Uncle')
  })

  it('takes every recorded answer', () => {
    const answered = calls.filter(({ answer }) => answer.error === undefined)
    expect(answered.length).toBeGreaterThan(100)
    const refused = answered.filter(({ method, answer }) => !accepts(methodNamed(method).result.schema, answer.result))
    expect(refused.map(({ id, method }) => [id, method])).toEqual([])
  })

  it('takes the recorded params that the checks take, and refuses those that they refuse', () => {
    const wrong = calls.filter(({ method, params }) => {
      const taken = evmMethods[method as keyof typeof evmMethods].params.check(params, '') === undefined
      const described = methodNamed(method).params
      const list = params as readonly unknown[]
      const documented =
        list.length <= described.length &&
        described.every(({ required, schema }, i) => (i in list ? accepts(schema, list[i]) : !required))
      return taken !== documented
    })
    expect(wrong.map(({ id, method, params }) => [id, method, params])).toEqual([])
  })

  it.each([
    ['eth_getBalance', 0, '0x7dcd'],
    ['eth_getBalance', 1, '0x01'],
    ['eth_getBalance', 1, { blockHash: `0x${'00'.repeat(32)}`, blockNumber: '0x1' }],
    ['eth_call', 0, { gasprice: '0x1' }],
    ['eth_getLogs', 0, { blockHash: `0x${'00'.repeat(32)}`, fromBlock: '0x1' }],
    ['eth_getLogs', 0, { topics: [null, null, null, null, null] }],
    ['eth_call', 2, { '0x12': {} }],
    ['eth_subscribe', 0, 'newpendingTransactions'],
  ])('refuses a wrong param of %s', (method, index, value) => {
    expect(accepts(methodNamed(method).params[index]!.schema, value)).toBe(false)
  })
})
