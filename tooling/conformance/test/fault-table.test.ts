import { beforeAll, describe, expect, it } from 'vitest'
import { ethersClient } from '../fault-table/clients/ethers.ts'
import { plainClient } from '../fault-table/clients/plain.ts'
import type { TableClient } from '../fault-table/clients/table-client.ts'
import { viemClient } from '../fault-table/clients/viem.ts'
import { parseCommandLine } from '../fault-table/command-line.ts'
import { faults } from '../fault-table/faults.ts'
import { judge } from '../fault-table/judge.ts'
import { accountOf, hashOf, type Target, transactionOf } from '../fault-table/questions.ts'
import { runFault } from '../fault-table/run-fault.ts'
import { runTable } from '../fault-table/run-table.ts'

// web3.py is asked by the command alone: `pnpm --filter @wayleave/conformance fault-table --python …`.
const clients = [plainClient(), viemClient(), ethersClient()]

describe('an upstream', () => {
  let rows: ReturnType<typeof runTable>
  beforeAll(() => {
    rows = runTable(faults, clients)
    // Each row is awaited by its own test.
    for (const row of rows) row.catch(() => {})
  })
  for (const [i, { name }] of faults.entries()) {
    it(`that ${name}: callers get the value, or are told so`, { timeout: 180_000 }, async () => {
      expect(await rows[i]).toEqual([])
    })
  }
})

describe('the table', () => {
  const target: Target = { url: '', ws: '', account: accountOf(7), transaction: transactionOf(7) }

  it('has 40 faults of different names', () => {
    expect(new Set(faults.map(({ name }) => name)).size).toBe(40)
  })

  it('notices an outcome other than the one that is right', async () => {
    const [redirect] = faults
    const reader: TableClient = { ...plainClient(), kinds: ['read', 'batch'] }
    const misses = await runFault({ ...redirect!, alone: 'value', asked: 'never' }, [reader])
    const reported = misses.map(({ setting, kind, sentence }) => `${setting} ${kind}: ${sentence.split(',')[0]}`)
    expect(reported).toEqual([
      'beside read: the faulty upstream was asked',
      'beside batch: the faulty upstream was asked',
      'alone read: expected 0x2a',
      'alone batch: expected 0x2a',
      'alone batch: expected 0x7',
      'alone batch: expected 0x6001',
    ])
  })

  it('takes a value only if it is the true one', () => {
    expect(judge('read', target, 'value', [{ value: 42n }])).toEqual([])
    expect(judge('read', target, 'value', [{ value: '0xbad' }])).toHaveLength(1)
    expect(judge('read', target, 'stale', [{ value: '0x29' }])).toEqual([])
    expect(judge('write', target, 'stale', [{ value: hashOf(target.transaction) }])).toEqual([])
    expect(judge('batch', target, 'value', [{ value: 42 }, { value: 7 }, { value: '0x6001' }])).toEqual([])
    expect(judge('batch', target, 'value', [{ value: 42 }, { value: 7 }])).toEqual(['2 answers came for 3 calls'])
    expect(judge('read', target, { outage: /./ }, [{ value: 42n }])).toHaveLength(1)
  })

  it('takes an outage only by its code, words and status', () => {
    const outage = { outage: /^no upstream answered/ }
    const reported = { code: -32603, message: 'no upstream answered: 1 failed', status: 502 }
    expect(judge('read', target, outage, [reported])).toEqual([])
    for (const other of [{ code: -32601 }, { message: 'internal error' }, { status: 200 }]) {
      expect(judge('read', target, outage, [{ ...reported, ...other }])).toHaveLength(1)
    }
  })

  it("takes a node's error only unchanged", () => {
    const error = { code: 3, message: 'execution reverted', data: '0x08c379a0' }
    expect(judge('read', target, { error }, [{ ...error, status: 200 }])).toEqual([])
    for (const other of [{ code: -32000 }, { message: 'reverted' }, { data: undefined }, { status: 502 }]) {
      expect(judge('read', target, { error }, [{ ...error, ...other }])).toHaveLength(1)
    }
  })
})

describe('the command line', () => {
  it('chooses faults by number', () => {
    expect(parseCommandLine([]).only).toHaveLength(40)
    expect(parseCommandLine(['--', '--only', '2', '--only', '9']).only).toEqual([2, 9])
    expect(() => parseCommandLine(['--only', '41'])).toThrow('--only takes a whole number from 1 to 40, not 41')
    expect(() => parseCommandLine(['--fast'])).toThrow("Unknown option '--fast'")
  })
})
