import { describe, expect, test } from 'vitest'
import {
  type Block,
  isRollupInfo,
  rollupInfoAnswerSchema,
  rollupInfoFromSyncStatus,
  rollupInfoSchema,
  type SyncStatus,
  syncStatusSchema,
} from '../src/index.ts'
import { altered, recorded, recordedResult } from './recorded.ts'

const blocks = [recordedResult<Block>('execution-apis-exchanges.json', 'eth_getBlockByNumber/get-block-merge-fork')]
const infos = recorded('rollup-answers.json').map((call) => call.answer.result as object)
const sync = recordedResult<SyncStatus>('sync-status-answers.json', 'optimism_syncStatus/op-mainnet-2025')

describe('the two documented shapes of rollup_getInfo', () => {
  test('both pass, and are told apart', () => {
    expect(infos).toHaveLength(4)
    for (const info of infos) {
      expect(rollupInfoAnswerSchema.check(info, '')).toBeUndefined()
      expect(isRollupInfo(info)).toBe(true)
    }
    expect(rollupInfoAnswerSchema.check(blocks, '')).toBeUndefined()
    expect(isRollupInfo(blocks)).toBe(false)
  })

  test('the blocks of the sample, with no member more than it shows, pass; so does an array of none', () => {
    // The members of the sample of Spec §4.8.
    const shown =
      'difficulty extraData gasLimit gasUsed hash logsBloom miner mixHash nonce number parentHash receiptsRoot sha3Uncles size stateRoot timestamp totalDifficulty transactions transactionsRoot uncles'
    const block = Object.fromEntries(
      shown.split(' ').map((member) => [member, { totalDifficulty: '0x1', ...blocks[0] }[member as keyof Block]]),
    )
    expect(Object.values(block)).not.toContain(undefined)
    expect(rollupInfoAnswerSchema.check([block, block], '')).toBeUndefined()
    expect(rollupInfoAnswerSchema.check([], '')).toBeUndefined()
    expect(isRollupInfo([block])).toBe(false)
    expect(rollupInfoAnswerSchema.check([block, { ...block, transactions: ['0x1'] }], '')?.path).toBe(
      '[1].transactions[0]',
    )
  })

  test('an error points inside the shape that came', () => {
    const [info = {}] = infos
    expect(rollupInfoAnswerSchema.check(altered(info, ['ethContext', 'blockNumber'], '0x1'), '')?.path).toBe(
      '.ethContext.blockNumber',
    )
    expect(rollupInfoAnswerSchema.check(altered(info, ['rollupContext', 'index'], -1), '')?.path).toBe(
      '.rollupContext.index',
    )
    expect(rollupInfoAnswerSchema.check(altered(info, ['mode'], 'leader'), '')?.path).toBe('.mode')
    expect(rollupInfoAnswerSchema.check(altered(blocks, [0, 'stateRoot'], undefined), '')?.path).toBe('[0].stateRoot')
  })

  test('half an object is not taken for the information', () => {
    const [info = {}] = infos
    expect(isRollupInfo(altered(info, ['rollupContext'], undefined))).toBe(false)
    expect(isRollupInfo(null)).toBe(false)
  })
})

describe('rollupInfoFromSyncStatus', () => {
  test('takes the L1 block that derivation reached, the unsafe head and the safe head', () => {
    const older = recordedResult<SyncStatus>('sync-status-answers.json', 'optimism_syncStatus/devnet-2023')
    expect(rollupInfoFromSyncStatus(older)).toEqual({
      mode: 'verifier',
      syncing: false,
      ethContext: { blockNumber: 1622, timestamp: 1695098493 },
      rollupContext: { queueIndex: 0, index: 6087, verifiedIndex: 807 },
    })
  })

  test('says what it is told of mode and syncing', () => {
    expect(rollupInfoFromSyncStatus(sync, { mode: 'sequencer', syncing: true })).toMatchObject({
      mode: 'sequencer',
      syncing: true,
    })
  })

  test('gives what the schema of rollup_getInfo passes', () => {
    expect(rollupInfoSchema.check(rollupInfoFromSyncStatus(sync), '')).toBeUndefined()
  })
})

describe('a sync status', () => {
  test.each(['current_l1_finalized', 'pending_safe_l2', 'cross_unsafe_l2', 'local_safe_l2'])(
    'passes without %s',
    (member) => {
      expect(sync).toHaveProperty(member)
      expect(syncStatusSchema.check(altered(sync, [member], undefined), '')).toBeUndefined()
    },
  )

  test.each<[readonly string[], unknown, string]>([
    [['unsafe_l2'], undefined, '.unsafe_l2'],
    [['current_l1', 'timestamp'], '0x1', '.current_l1.timestamp'],
    [['safe_l2', 'l1origin', 'number'], undefined, '.safe_l2.l1origin.number'],
    [['local_safe_l2', 'number'], 1.5, '.local_safe_l2.number'],
  ])('is refused with %j = %j', (at, to, path) => {
    expect(syncStatusSchema.check(altered(sync, at, to), '')?.path).toBe(path)
  })
})
