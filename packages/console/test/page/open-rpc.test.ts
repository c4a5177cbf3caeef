import { evmOpenRpcDocument } from '@wayleave/evm-types/openrpc'
import { describe, expect, it } from 'vitest'
import { fieldOf, type OpenRpc, paramsOf, type RpcMethod, valueOf } from '../../src/page/pages/try/open-rpc.ts'

const table = evmOpenRpcDocument('0.0.0') as unknown as OpenRpc
const methodOf = (name: string): RpcMethod => table.methods.find((method) => method.name === name)!

describe('the form of a method', () => {
  it('has a field for every param of every EVM method', () => {
    for (const { params } of table.methods) {
      for (const { schema } of params)
        expect(['text', 'choice', 'number', 'boolean', 'json', 'object']).toContain(fieldOf(schema, table).kind)
    }
  })

  it('takes a block as text with its tags to choose from, or as an object', () => {
    const [, block] = methodOf('eth_getBalance').params
    expect(fieldOf(block!.schema, table)).toMatchObject({
      kind: 'text',
      choices: ['latest', 'earliest', 'pending', 'safe', 'finalized'],
      takesJson: true,
    })
  })

  it('has fields for the members of an object, without those that may not stand beside others', () => {
    const spec = fieldOf(methodOf('eth_getLogs').params[0]!.schema, table)
    expect(spec.kind).toBe('object')
    expect(spec.kind === 'object' && spec.fields.map(({ name }) => name)).toEqual([
      'address',
      'topics',
      'fromBlock',
      'toBlock',
    ])
  })

  it('leaves out what is empty at the end, and sends null before', () => {
    const method = methodOf('eth_call')
    expect(paramsOf(method, table, { call: { to: '0x01' } })).toEqual([{ to: '0x01' }])
    expect(paramsOf(method, table, { call: { to: '0x01' }, block: 'latest' })).toEqual([{ to: '0x01' }, 'latest'])
    expect(paramsOf(method, table, { stateOverrides: '{"0x01":{}}' })).toEqual([{}, null, { '0x01': {} }])
  })

  it('reads JSON where an object or a list is meant', () => {
    const balance = methodOf('eth_getBalance')
    const block = '{"blockHash":"0x02"}'
    expect(paramsOf(balance, table, { address: '0x01', block })).toEqual(['0x01', { blockHash: '0x02' }])
    const logs = methodOf('eth_getLogs')
    expect(paramsOf(logs, table, { filter: { address: '["0x01","0x02"]', topics: '[null]' } })).toEqual([
      { address: ['0x01', '0x02'], topics: [null] },
    ])
  })

  it.each(['number', 'json'] as const)('refuses a %s that would be rounded where it is read', (kind) => {
    const spec = { kind, hint: '' }
    expect(() => valueOf(spec, '9007199254740993', 'at')).toThrow('at: a number of 16 digits or more')
    expect(valueOf(spec, '900719925474099', 'at')).toBe(900719925474099)
    expect(valueOf({ kind: 'json', hint: '' }, '["9007199254740993"]', 'at')).toEqual(['9007199254740993'])
  })

  it('says which value is missing or unreadable', () => {
    expect(() => paramsOf(methodOf('eth_getBalance'), table, {})).toThrow('address: a value is needed')
    expect(() => paramsOf(methodOf('eth_getLogs'), table, { filter: { topics: '[' } })).toThrow(
      /^filter\.topics: no JSON/,
    )
  })
})
