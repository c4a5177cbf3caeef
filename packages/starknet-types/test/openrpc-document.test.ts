import { starknetMethods, starknetVersions } from '@wayleave/starknet-types'
import { starknetOpenRpcDocument } from '@wayleave/starknet-types/openrpc'
import { Ajv } from 'ajv'
import { describe, expect, it } from 'vitest'
import { recorded } from './recorded.ts'

describe.each(starknetVersions)('the OpenRPC document of %s', (version) => {
  const document = starknetOpenRpcDocument(version, '1.2.3')
  const facts = starknetMethods[version] as unknown as Readonly<
    Record<string, { readonly paramNames: readonly string[]; readonly effect: string; readonly summary: string }>
  >

  it('has every method with its params by name, in their order', () => {
    expect(document.info).toMatchObject({ title: `Starknet JSON-RPC ${version}`, version: '1.2.3' })
    const reported = document.methods.map(({ name, params, summary, 'x-effect': effect }) => ({
      name,
      summary,
      effect,
      paramNames: params.map((param) => (param.required ? param.name : `${param.name}?`)),
    }))
    const expected = Object.entries(facts).map(([name, { summary, effect, paramNames }]) => ({
      name,
      summary,
      effect,
      paramNames,
    }))
    expect(reported).toEqual(expected)
    expect(JSON.parse(JSON.stringify(document))).toEqual(document)
  })

  it('describes felts and blocks so that a form can be made of them', () => {
    const ajv = new Ajv({ strict: false, schemas: [{ $id: 'document', components: document.components }] })
    const schemaOf = (method: string, param: string): object => {
      const found = document.methods.find(({ name }) => name === method)!
      const { schema } = found.params.find(({ name }) => name === param)!
      return JSON.parse(JSON.stringify(schema).replaceAll('"#/components/', '"document#/components/')) as object
    }
    const felt = ajv.compile(schemaOf('starknet_getClassHashAt', 'contract_address'))
    expect([felt('0x1'), felt('1'), felt(1)]).toEqual([true, false, false])
    const block = ajv.compile(schemaOf('starknet_getClassHashAt', 'block_id'))
    expect([block('latest'), block({ block_number: 5 }), block({ block_hash: '0x5' })]).toEqual([true, true, true])
    expect([block('newest'), block(5)]).toEqual([false, false])
  })
})

it('the documents accept what was asked of nodes, as far as the checks of their version do', () => {
  let asked = 0
  for (const { version, method, params } of recorded()) {
    if (version === undefined || starknetMethods[version][method].params.check(params, '') !== undefined) continue
    const document = starknetOpenRpcDocument(version, '1')
    const ajv = new Ajv({ strict: false, schemas: [{ $id: 'document', components: document.components }] })
    const { params: described } = document.methods.find(({ name }) => name === method)!
    for (const [i, { name, schema }] of described.entries()) {
      const given = Array.isArray(params) ? params[i] : (params as Readonly<Record<string, unknown>>)[name]
      if (given === undefined) continue
      const text = JSON.stringify(schema).replaceAll('"#/components/', '"document#/components/')
      const validate = ajv.compile(JSON.parse(text) as object)
      expect([name, validate(given), validate.errors]).toEqual([name, true, null])
      asked++
    }
  }
  expect(asked).toBe(9)
})
