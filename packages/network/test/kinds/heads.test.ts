import { rawJsonFromText, type RpcResponse } from '@wayleave/jsonrpc-core'
import { describe, expect, it } from 'vitest'
import { evmHeads } from '../../src/kinds/evm-heads.ts'
import { evmLatestOf, evmNonceOf } from '../../src/kinds/evm-reported.ts'
import { starknetHeads } from '../../src/kinds/starknet-heads.ts'
import { call } from '../support.ts'

const hash = `0x${'aB'.repeat(32)}`
const parentHash = `0x${'cD'.repeat(32)}`
const answer = (value: unknown): RpcResponse => ({ result: rawJsonFromText(JSON.stringify(value)) })
const failure: RpcResponse = { error: { code: -32000, message: 'header not found' } }
const noJson: RpcResponse = { result: rawJsonFromText('{"number":') }

describe('heads of EVM nodes', () => {
  const reader = evmHeads('0x1')

  it('are asked for by tag, and pushed by newHeads', () => {
    const printed = (['latest', 'safe', 'finalized'] as const).map((tag) => {
      const { method, params } = reader.head(tag)!
      return [method, params!.value()]
    })
    expect(printed).toEqual(['latest', 'safe', 'finalized'].map((tag) => ['eth_getBlockByNumber', [tag, false]]))
    expect([reader.newHeads!.method, reader.newHeads!.params!.value()]).toEqual(['eth_subscribe', ['newHeads']])
    expect([reader.chainId.method, reader.expectedChain]).toEqual(['eth_chainId', '0x1'])
  })

  it('are read with hashes in lower case', () => {
    const block = { number: '0x1f4', hash, parentHash, timestamp: '0x65', transactions: [] }
    const position = {
      number: 500,
      hash: hash.toLowerCase(),
      parentHash: parentHash.toLowerCase(),
      timestamp: 101,
    }
    expect(reader.positionOf(answer(block))).toEqual(position)
    expect(reader.positionOfPush!(rawJsonFromText(JSON.stringify(block)))).toEqual(position)
    expect(reader.positionOf(answer({ number: '0x0', hash }))).toMatchObject({ number: 0, parentHash: undefined })
  })

  it.each([
    ['an error', failure],
    ['what is no JSON', noJson],
    ['null', answer(null)],
    ['a block that is not sealed', answer({ number: '0x1', hash: null })],
    ['a number that is none', answer({ number: 1, hash })],
    ['a number beyond integers', answer({ number: `0x${'f'.repeat(16)}`, hash })],
    ['a short hash', answer({ number: '0x1', hash: '0xab' })],
  ])('are none in %s', (_what, response) => {
    expect(reader.positionOf(response)).toBeUndefined()
  })

  it('chains are read without padding, in lower case', () => {
    expect(['0x1', '0x0A', '0x01'].map((id) => reader.chainOf(answer(id)))).toEqual(['0x1', '0xa', '0x1'])
    expect([failure, noJson, answer(1), answer('0x'), answer('1')].map((wrong) => reader.chainOf(wrong))).toEqual(
      Array(5).fill(undefined),
    )
  })
})

describe('heads of Starknet nodes', () => {
  const reader = starknetHeads('0x534e5f4d41494e')

  it('are asked for as the latest, and not pushed', () => {
    expect(reader.head('latest')!.method).toBe('starknet_blockHashAndNumber')
    expect([reader.head('safe'), reader.newHeads]).toEqual([undefined, undefined])
  })

  it('are final once L1 has accepted them', () => {
    expect(reader.head('finalized')!.params!.text()).toBe('["l1_accepted"]')
    const block = { block_hash: '0x1', block_number: 7, transactions: [] }
    expect(reader.positionOf(answer({ ...block, status: 'ACCEPTED_ON_L1' }))).toEqual({ number: 7, hash: '0x1' })
    expect(reader.positionOf(answer({ ...block, status: 'ACCEPTED_ON_L2' }))).toBeUndefined()
  })

  it('are read with hashes without padding', () => {
    expect(reader.positionOf(answer({ block_hash: '0x00aB', block_number: 7 }))).toEqual({ number: 7, hash: '0xab' })
    for (const wrong of [
      failure,
      noJson,
      answer(null),
      answer({ block_hash: '0x1', block_number: '7' }),
      answer({ block_hash: '0x1', block_number: -1 }),
      answer({ block_hash: '1', block_number: 1 }),
    ]) {
      expect(reader.positionOf(wrong)).toBeUndefined()
    }
  })
})

describe('what an answer of an EVM node tells', () => {
  const sender = `0x${'Ab'.repeat(20)}`

  it('is a pending nonce, of the sender in lower case', () => {
    const asked = call('eth_getTransactionCount', [sender, 'pending'])
    expect(evmNonceOf(asked, answer('0x2c'))).toEqual({ sender: sender.toLowerCase(), nonce: 44 })
    for (const wrong of [
      failure,
      noJson,
      answer(null),
      answer('no'),
      answer({}),
      answer([]),
      answer(''),
      answer(true),
    ]) {
      expect(evmNonceOf(asked, wrong)).toBeUndefined()
    }
    for (const other of [
      call('eth_getTransactionCount', [sender, 'latest']),
      call('eth_getTransactionCount', [sender]),
      call('eth_getTransactionCount', [1, 'pending']),
      call('eth_getTransactionCount', {}),
      call('eth_getBalance', [sender, 'pending']),
    ]) {
      expect(evmNonceOf(other, answer('0x2c'))).toBeUndefined()
    }
  })

  it('is the latest head, where that was asked for', () => {
    const block = answer({ number: '0x1f4', hash })
    expect(evmLatestOf(call('eth_blockNumber'), answer('0x1f4'))).toBe(500)
    expect(evmLatestOf(call('eth_getBlockByNumber', ['latest', false]), block)).toBe(500)
    for (const tag of ['finalized', 'safe', 'pending', '0x1f4', 'earliest']) {
      expect(evmLatestOf(call('eth_getBlockByNumber', [tag, false]), block)).toBeUndefined()
    }
    expect(evmLatestOf(call('eth_getTransactionReceipt', [hash]), answer({ blockNumber: '0x1f4' }))).toBeUndefined()
    expect(evmLatestOf(call('eth_blockNumber'), failure)).toBeUndefined()
  })
})
