// Answers as nodes of many chains give them.
import { readFileSync } from 'node:fs'
import type { Schema } from '@wayleave/jsonrpc-core/schema'
import { expect, test } from 'vitest'
import { blockSchema, receiptSchema, transactionSchema } from '../src/index.ts'
import { altered, recordedResult } from './recorded.ts'

interface Shape {
  readonly what: string
  readonly origin: string
  readonly of: 'block' | 'receipt' | 'transaction'
  /** By path; `{ $absent: true }`: the member is not there. */
  readonly changes: Readonly<Record<string, unknown>>
  readonly offStandard?: true
  readonly refusedAt?: string
}

const { shapes } = JSON.parse(readFileSync(new URL('vectors/real-shapes.json', import.meta.url), 'utf8')) as {
  shapes: readonly Shape[]
}

const exchanges = 'execution-apis-exchanges.json'
const standard: Readonly<Record<Shape['of'], readonly [answer: object, schema: Pick<Schema<unknown>, 'check'>]>> = {
  block: [recordedResult(exchanges, 'eth_getBlockByHash/get-block-by-hash'), blockSchema],
  receipt: [recordedResult(exchanges, 'eth_getTransactionReceipt/get-access-list'), receiptSchema],
  transaction: [recordedResult(exchanges, 'eth_getTransactionByHash/get-dynamic-fee'), transactionSchema],
}

test.each(shapes)('$what', ({ of, changes, refusedAt, origin }) => {
  const [answer, schema] = standard[of]
  let shape: unknown = answer
  for (const [path, value] of Object.entries(changes)) {
    const isAbsent = (value as { readonly $absent?: true } | null)?.$absent === true
    shape = altered(shape as object, path.split('.'), isAbsent ? undefined : value)
  }
  expect([origin, schema.check(shape, '')?.path]).toEqual([origin, refusedAt])
})

test('what is refused is off the standard', () => {
  expect(shapes.filter(({ refusedAt, offStandard }) => refusedAt !== undefined && offStandard !== true)).toEqual([])
  expect([shapes.length, shapes.filter(({ refusedAt }) => refusedAt === undefined).length]).toEqual([63, 51])
})
