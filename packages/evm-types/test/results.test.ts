import { assertValid, type Schema } from '@wayleave/jsonrpc-core/schema'
import { describe, expect, test } from 'vitest'
import {
  type Block,
  blockSchema,
  evmMethods,
  type Receipt,
  receiptSchema,
  type Transaction,
  transactionSchema,
  type Uncle,
  uncleSchema,
} from '../src/index.ts'
import { altered, recordedResult } from './recorded.ts'

const exchanges = 'execution-apis-exchanges.json'
const mined = recordedResult<Transaction>(exchanges, 'eth_getTransactionByHash/get-dynamic-fee')
const setCode = recordedResult<Transaction>(exchanges, 'eth_getTransactionByHash/get-setcode-tx')
const receipt = recordedResult<Receipt>(exchanges, 'eth_getTransactionReceipt/get-access-list')
const block = recordedResult<Block>(exchanges, 'eth_getBlockByHash/get-block-by-hash')
const deposit = recordedResult<Transaction>('other-answers.json', 'eth_getTransactionByHash/op-deposit')
const amsterdam = recordedResult<Block>('other-answers.json', 'eth_getHeaderByNumber/amsterdam')
const address = '0x7dcd17433742f4c0ca53122ab541d0ba67fc27df'
const uncle = recordedResult<Uncle>('derived-uncles.json', 'eth_getUncleByBlockNumberAndIndex/uncle-3-0')

const hashOf = (digit: string): string => `0x${digit.repeat(64)}`

function pathOf(schema: Pick<Schema<unknown>, 'check'>, value: unknown): string | undefined {
  return schema.check(value, '')?.path
}

describe('results that pass', () => {
  test('a pending transaction, whose place is null', () => {
    const pending = { ...mined, blockHash: null, blockNumber: null, transactionIndex: null }
    expect(pathOf(transactionSchema, pending)).toBeUndefined()
  })

  test('a pending block, with what the specification nulls and what go-ethereum nulls', () => {
    expect(pathOf(blockSchema, { ...block, number: null, hash: null, nonce: null, logsBloom: null })).toBeUndefined()
    expect(pathOf(blockSchema, { ...block, hash: null, nonce: null, miner: null })).toBeUndefined()
  })

  test('members that nobody knows yet, at any depth', () => {
    expect(pathOf(transactionSchema, { ...mined, type: '0x78', requestId: 1, refundTo: address })).toBeUndefined()
    expect(pathOf(receiptSchema, altered(receipt, ['logs', 0, 'l1Fee'], 7))).toBeUndefined()
    expect(pathOf(receiptSchema, { ...receipt, l1BatchNumber: '0x1', gasUsedForL1: 0 })).toBeUndefined()
  })

  test.each(['accessList', 'chainId', 'gasPrice', 'maxFeePerGas', 'r', 's', 'type', 'v', 'yParity'] as const)(
    'a transaction whose %s is absent or null',
    (member) => {
      expect(mined).toHaveProperty(member)
      expect(pathOf(transactionSchema, altered(mined, [member], undefined))).toBeUndefined()
      expect(pathOf(transactionSchema, altered(mined, [member], null))).toBeUndefined()
    },
  )

  test.each(['difficulty', 'gasLimit', 'mixHash', 'nonce', 'sha3Uncles', 'size', 'totalDifficulty', 'uncles'])(
    'an uncle whose %s is absent or null',
    (member) => {
      expect(pathOf(uncleSchema, altered(uncle, [member], undefined))).toBeUndefined()
      expect(pathOf(uncleSchema, altered(uncle, [member], null))).toBeUndefined()
    },
  )

  test.each<[string, object]>([
    [
      'before Bedrock',
      { l1Fee: '0x65426a26229f', l1FeeScalar: '0.684', l1GasPrice: '0x46d67f742', l1GasUsed: '0x2170' },
    ],
    [
      'since Ecotone',
      {
        l1Fee: '0x1',
        l1GasPrice: '0x2',
        l1BaseFeeScalar: '0x146b',
        l1BlobBaseFee: '0x1',
        l1BlobBaseFeeScalar: '0xf79c5',
      },
    ],
    ['since Isthmus', { operatorFeeScalar: '0x12c', operatorFeeConstant: '0x190' }],
    ['since Jovian', { daFootprintGasScalar: '0x190', blobGasUsed: '0x640' }],
    ['of a deposit', { type: '0x7e', depositNonce: '0x2ec2cee', depositReceiptVersion: '0x1' }],
  ])('a receipt of an OP chain %s', (_, members) => {
    expect(pathOf(receiptSchema, { ...receipt, ...members })).toBeUndefined()
    for (const member of Object.keys(members)) {
      expect(pathOf(receiptSchema, { ...receipt, ...members, [member]: {} })).toBe(`.${member}`)
    }
  })

  test('what zkSync answers: members that come later are null, and so is who needs no log kind', () => {
    const logs = [{ ...receipt.logs[0], removed: null, logType: null, l1BatchNumber: '0x1' }]
    const zk = { ...receipt, logs, root: null, l1BatchNumber: null, l1BatchTxIndex: null, l2ToL1Logs: [] }
    expect(pathOf(receiptSchema, zk)).toBeUndefined()
    const priority = { ...mined, type: '0xff', v: '0x104', r: '0x0', s: '0x0', accessList: [], l1BatchTxIndex: null }
    expect(pathOf(transactionSchema, { ...priority, gasPrice: undefined })).toBeUndefined()
  })

  test('what Arbitrum answers: transactions of its own types, unsigned, and shares of L1 in receipts', () => {
    const internal = {
      ...mined,
      type: '0x6a',
      from: address,
      gas: '0x0',
      gasPrice: '0x0',
      v: '0x0',
      r: '0x0',
      s: '0x0',
    }
    expect(pathOf(transactionSchema, { ...internal, requestId: hashOf('1'), yParity: undefined })).toBeUndefined()
    const shares = { gasUsedForL1: '0x1a0e', l1BlockNumber: '0x18e1a6b', timeboosted: false }
    expect(pathOf(receiptSchema, { ...receipt, ...shares, cumulativeGasUsed: '0x0' })).toBeUndefined()
    expect(
      pathOf(blockSchema, { ...block, l1BlockNumber: '0x1', sendCount: '0x0', sendRoot: hashOf('2') }),
    ).toBeUndefined()
  })

  test('a chain id that makes `v` longer than 64 bits', () => {
    expect(pathOf(transactionSchema, { ...mined, type: '0x7f', v: `0x${'f'.repeat(40)}` })).toBeUndefined()
  })

  test('a receipt from before Byzantium, with a root instead of a status', () => {
    const old = { ...(altered(receipt, ['status'], undefined) as object), root: `0x${'ab'.repeat(32)}` }
    expect(pathOf(receiptSchema, old)).toBeUndefined()
  })

  test.each<[fork: string, later: readonly (keyof Block)[]]>([
    ['London', ['baseFeePerGas']],
    ['Shanghai', ['withdrawalsRoot', 'withdrawals']],
    ['Cancun', ['blobGasUsed', 'excessBlobGas', 'parentBeaconBlockRoot']],
    ['Prague', ['requestsHash']],
    ['Amsterdam', ['blockAccessListHash', 'slotNumber']],
  ])('a block from before %s, and one from after', (_, members) => {
    const later = { ...block, ...amsterdam, withdrawals: [] }
    expect(pathOf(blockSchema, later)).toBeUndefined()
    for (const member of members) {
      expect(later).toHaveProperty(member)
      expect(pathOf(blockSchema, altered(later, [member], undefined))).toBeUndefined()
      expect(pathOf(blockSchema, altered(later, [member], 7))).toBe(`.${member}`)
    }
  })

  test('a block of a chain without a state trie', () => {
    expect(pathOf(blockSchema, { ...block, stateRoot: '0x' })).toBeUndefined()
    expect(pathOf(blockSchema, { ...block, stateRoot: '0x00' })).toBe('.stateRoot')
  })

  test('signature halves as quantities and as 32 padded bytes', () => {
    expect(pathOf(transactionSchema, { ...mined, r: '0x1', s: `0x${'00'.repeat(31)}01` })).toBeUndefined()
  })
})

describe('results that are refused, with the path to what is wrong', () => {
  test.each<[readonly (string | number)[], unknown, string]>([
    [['hash'], undefined, '.hash'],
    [['from'], '0x1', '.from'],
    [['to'], '0x', '.to'],
    [['value'], 1, '.value'],
    [['nonce'], '0x01', '.nonce'],
    [['input'], '0x1', '.input'],
    [['s'], `0x${'1'.repeat(65)}`, '.s'],
    [['authorizationList', 0, 'address'], undefined, '.authorizationList[0].address'],
  ])('a transaction with %j = %j', (at, to, path) => {
    expect(pathOf(transactionSchema, altered(setCode, at, to))).toBe(path)
  })

  test.each<[string, unknown]>([
    ['sourceHash', '0x1'],
    ['mint', 0],
    ['isSystemTx', 'false'],
    ['depositReceiptVersion', 1],
  ])('a deposit with %s = %j', (member, to) => {
    expect(pathOf(transactionSchema, deposit)).toBeUndefined()
    expect(pathOf(transactionSchema, altered(deposit, [member], undefined))).toBeUndefined()
    expect(pathOf(transactionSchema, altered(deposit, [member], null))).toBeUndefined()
    expect(pathOf(transactionSchema, altered(deposit, [member], to))).toBe(`.${member}`)
  })

  test.each<[readonly (string | number)[], unknown, string]>([
    [['gasUsed'], undefined, '.gasUsed'],
    [['blockHash'], '0x', '.blockHash'],
    [['logs', 0, 'topics', 1], '0x0', '.logs[0].topics[1]'],
    [['logs', 0, 'data'], null, '.logs[0].data'],
    [['status'], 1, '.status'],
  ])('a receipt with %j = %j', (at, to, path) => {
    expect(pathOf(receiptSchema, altered(receipt, at, to))).toBe(path)
  })

  test.each<[readonly (string | number)[], unknown, string]>([
    [['transactions'], undefined, '.transactions'],
    [['transactions', 2, 'gas'], 21000, '.transactions[2].gas'],
    [['transactions', 1], '0x1', '.transactions[1]'],
    [['parentHash'], null, '.parentHash'],
    [['logsBloom'], '0x00', '.logsBloom'],
    [['uncles'], ['0x0'], '.uncles[0]'],
  ])('a block with %j = %j', (at, to, path) => {
    expect(pathOf(blockSchema, altered(block, at, to))).toBe(path)
  })

  test('a whole other thing', () => {
    expect(pathOf(transactionSchema, [])).toBe('')
    expect(pathOf(receiptSchema, '0x')).toBe('')
    expect(() => assertValid(blockSchema, 7, 'result')).toThrow('result: expected a block, got 7')
  })
})

describe('results of the other methods', () => {
  const hash = `0x${'ab'.repeat(32)}`
  const log = receipt.logs[0] as object

  test.each<[keyof typeof evmMethods, unknown]>([
    ['eth_syncing', { currentBlock: '0x1', highestBlock: '0x2', stages: [] }],
    ['eth_syncing', { startingBlock: '0x0', currentBlock: '0x1', highestBlock: '0x2' }],
    [
      'eth_feeHistory',
      { oldestBlock: '0x1', gasUsedRatio: [0, 0.5], baseFeePerGas: ['0x1', '0x2', '0x3'], reward: null },
    ],
    ['eth_baseFee', null],
    // go-ethereum, on a chain without blobs; asked for no blocks.
    ['eth_blobBaseFee', null],
    ['eth_feeHistory', { oldestBlock: '0x0', gasUsedRatio: null }],
    // Arbitrum, which has members of its own alone.
    [
      'eth_syncing',
      { batchProcessed: 927, batchSeen: 927, blockNum: 19086, messageOfLastBlock: 19087, msgCount: 385837 },
    ],
    ['eth_protocolVersion', 'zks/1'],
    // Opaque: random bytes may start with zeros.
    ['eth_newFilter', '0x0a3f'],
    ['txpool_status', { pending: 3, queued: '0x0' }],
    // reth and besu, where there is none.
    ['debug_getRawTransaction', null],
    ['debug_getRawBlock', null],
    ['debug_getRawHeader', null],
    ['debug_getRawReceipts', null],
    ['debug_traceBlockByNumber', [{ txHash: null, result: {} }]],
    ['eth_protocolVersion', '0x44'],
    ['eth_protocolVersion', '68'],
    ['eth_protocolVersion', 1],
    ['eth_getFilterChanges', []],
    ['eth_getFilterChanges', [hash, log, mined]],
    ['eth_accounts', []],
    ['eth_getRawTransactionByHash', null],
    ['eth_getRawTransactionByBlockHashAndIndex', '0x'],
    ['eth_getHeaderByHash', null],
    ['eth_getBlockAccessList', null],
    ['eth_signTransaction', '0x02'],
    ['eth_signTransaction', { raw: '0x02', tx: mined }],
    ['debug_traceCallMany', [[{}, null], []]],
    ['debug_storageRangeAt', { storage: {}, nextKey: null }],
    ['trace_block', null],
    ['trace_get', null],
    ['trace_replayTransaction', { output: '0x', trace: [], vmTrace: null, stateDiff: null }],
    ['trace_replayBlockTransactions', []],
    ['optimism_version', 'v1.13.0-stable'],
    ['optimism_rollupConfig', { block_time: 2 }],
    ['eth_createAccessList', { accessList: [], gasUsed: '0x1', error: null }],
    ['eth_fillTransaction', { raw: '0x02', tx: {} }],
    [
      'eth_simulateV1',
      [{ ...block, calls: [{ returnData: '0x', logs: [], gasUsed: '0x0', status: '0x0', error: { code: 3 } }] }],
    ],
  ])('%s may answer %j', (method, result) => {
    expect(pathOf(evmMethods[method].result, result)).toBeUndefined()
  })

  test.each<[keyof typeof evmMethods, unknown, string]>([
    ['eth_syncing', true, ''],
    ['eth_syncing', { currentBlock: 1, highestBlock: '0x2' }, '.currentBlock'],
    ['eth_feeHistory', { oldestBlock: '0x1', gasUsedRatio: ['0x1'] }, '.gasUsedRatio[0]'],
    ['eth_feeHistory', { oldestBlock: '0x1', gasUsedRatio: [], reward: [['0x1', 1]] }, '.reward[0][1]'],
    ['eth_maxPriorityFeePerGas', 1, ''],
    ['eth_protocolVersion', '', ''],
    ['eth_protocolVersion', 1.5, ''],
    ['eth_newFilter', 1, ''],
    ['eth_blobBaseFee', 1, ''],
    ['net_peerCount', 25, ''],
    ['net_listening', 'true', ''],
    ['eth_accounts', [address, hash], '[1]'],
    ['eth_getFilterChanges', [{ ...log, data: 1 }], '[0].data'],
    ['eth_getFilterLogs', [hash], '[0]'],
    [
      'eth_getProof',
      { address, accountProof: ['0x'], balance: '0x0', codeHash: hash, nonce: '0x0', storageHash: '0x' },
      '.storageHash',
    ],
    ['eth_simulateV1', [block], '[0].calls'],
    ['txpool_status', { pending: -1, queued: '0x0' }, '.pending'],
    ['txpool_contentFrom', { pending: { 0: {} }, queued: {} }, '.pending["0"].from'],
    ['eth_sendRawTransactionSync', hash, ''],
    ['eth_getBlockAccessList', [{ address: '0x1' }], '[0].address'],
    ['eth_signTransaction', { tx: mined }, '.raw'],
    ['trace_block', [{ type: 'call', action: {}, traceAddress: ['0x0'] }], '[0].traceAddress[0]'],
    ['trace_transaction', [{ type: 'call', traceAddress: [] }], '[0].action'],
    ['trace_call', '0x', ''],
    ['debug_getBadBlocks', {}, ''],
    ['rollup_gasPrices', { l1GasPrice: '0x1' }, '.l2GasPrice'],
    ['optimism_safeHeadAtL1Block', { l1Block: { hash, number: '0x1' } }, '.l1Block.number'],
  ])('%s cannot answer %j', (method, result, path) => {
    expect(pathOf(evmMethods[method].result, result)).toBe(path)
  })
})
