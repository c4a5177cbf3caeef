import type { Block, Log, Receipt } from '@wayleave/evm-types'
import { describe, expect, test } from 'vitest'
import { runCheck, verifyBlockLogs } from '../src/index.ts'
import { chainBlocks, recordedAnswers } from './chain.ts'

const blocks = new Map(chainBlocks().map(({ block }) => [block.hash!, block]))
const receipts = recordedAnswers('eth_getBlockReceipts')
  .map(({ result }) => (result ?? []) as Receipt[])
  .find((list) => list.flatMap(({ logs }) => logs).length > 1)!
const header: Block = blocks.get(receipts[0]!.blockHash!)!
const logs: readonly Log[] = receipts.flatMap((receipt) => receipt.logs)
const changed = (i: number, change: object): unknown[] => logs.map((log, k) => (k === i ? { ...log, ...change } : log))

describe('verifyBlockLogs', () => {
  test('believes what a node answered, by its header and by its receipts', () => {
    expect(verifyBlockLogs(logs, { header })).toMatchObject({
      ok: true,
      level: 'consistent',
      fields: { '*.logIndex': 'consistent', '*.data': 'unverifiable' },
    })
    expect(verifyBlockLogs(logs, { header, receipts })).toMatchObject({
      ok: true,
      level: 'proven',
      fields: { '*.data': 'proven', '*.transactionHash': 'consistent' },
    })
    const check = { check: 'logs', answer: logs, expected: { header, receipts } } as const
    expect(runCheck(check)).toMatchObject({ ok: true, level: 'proven' })
  })

  test('refuses logs of which some are missing, by the header alone', () => {
    expect(verifyBlockLogs([], { header }).ok).toBe(false)
    expect(verifyBlockLogs(logs.slice(1), { header }).ok).toBe(false)
    expect(verifyBlockLogs(logs, { header: { ...header, logsBloom: `0x${'00'.repeat(256)}` } }).ok).toBe(false)
  })

  test('refuses the last log that is missing where its topics are in others, by the receipts', () => {
    const double = [...logs, { ...logs.at(-1)!, logIndex: `0x${logs.length.toString(16)}` as const }]
    expect(verifyBlockLogs(double, { header }).ok).toBe(true)
    expect(verifyBlockLogs(double, { header, receipts })).toMatchObject({ ok: false, field: '' })
  })

  test.each([
    ['data', '0x1234', '0.data'],
    ['address', `0x${'12'.repeat(20)}`, ''],
    ['transactionHash', `0x${'12'.repeat(32)}`, '0.transactionHash'],
    ['blockHash', `0x${'12'.repeat(32)}`, '0.blockHash'],
    ['removed', true, '0.removed'],
    ['topics', 1, '[0].topics'],
  ])('refuses another %s', (name, value, field) => {
    expect(verifyBlockLogs(changed(0, { [name]: value }), { header, receipts })).toMatchObject({ ok: false, field })
  })

  test('refuses receipts that do not have the root of the header', () => {
    const verdict = verifyBlockLogs(logs, { header, receipts: receipts.slice(0, -1) })
    expect(verdict).toMatchObject({ ok: false, field: 'receipts' })
  })

  test.each([[null], ['logs'], [[null]], [{ length: 1 }]])('refuses %j, which are no logs', (value) => {
    expect(verifyBlockLogs(value, { header }).ok).toBe(false)
  })
})
