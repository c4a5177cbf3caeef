import type { AnySchema } from '@wayleave/jsonrpc-core/schema'
import { evmMethods } from '@wayleave/evm-types'
import { evmOpenRpcDocument } from '@wayleave/evm-types/openrpc'
import { Ajv, type ValidateFunction } from 'ajv'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { altered, recorded } from './recorded.ts'

const document = evmOpenRpcDocument('1.0.0')
const ajv = new Ajv({ strict: false, schemas: [{ $id: 'document', components: document.components }] })
const table: Readonly<Record<string, { readonly params: AnySchema; readonly result: AnySchema }>> = evmMethods

const calls = [
  'execution-apis-exchanges.json',
  'other-answers.json',
  'derived-uncles.json',
  'rollup-answers.json',
  'sync-status-answers.json',
].flatMap((file) => recorded(file).filter(({ method }) => Object.hasOwn(evmMethods, method)))

const address = `0x${'7d'.repeat(20)}`
const hash = `0x${'ab'.repeat(32)}`
const call = { from: address, to: address, value: '0x1', data: '0x', authorizationList: [], blobs: ['0x00'] }
const trace = {
  type: 'call',
  action: {},
  result: null,
  error: 'Reverted',
  traceAddress: [0],
  blockHash: hash,
  blockNumber: 7,
}

/** Valid params and results of methods that were not recorded. */
const unrecorded: readonly { readonly method: string; readonly params: unknown; readonly result?: unknown }[] = [
  { method: 'eth_createAccessList', params: [call, 'latest', { [address]: { stateDiff: { [hash]: hash } } }] },
  { method: 'eth_getStorageValues', params: [{ [address]: [hash] }, 'safe'], result: { [address]: [hash] } },
  { method: 'eth_getBlockReceipts', params: [7], result: null },
  { method: 'eth_getBlockReceipts', params: ['7'] },
  { method: 'eth_newFilter', params: [{ address: [address], topics: [[hash], null] }], result: '0x0a' },
  { method: 'eth_getFilterChanges', params: ['0x0a'], result: [hash] },
  { method: 'eth_protocolVersion', params: [], result: 'zks/1' },
  { method: 'eth_sendRawTransactionSync', params: ['0x02', 5] },
  { method: 'eth_signTransaction', params: [call], result: { raw: '0x02' } },
  { method: 'txpool_status', params: [], result: { pending: '0x1', queued: 2 } },
  { method: 'debug_traceBlock', params: ['0xc0', {}], result: [{ txHash: hash, result: {} }] },
  { method: 'debug_traceCall', params: [call, 'latest', { tracer: 'callTracer' }] },
  {
    method: 'debug_traceCallMany',
    params: [[{ transactions: [call], blockOverride: {} }], { blockNumber: hash, transactionIndex: -1 }],
    result: [[{}]],
  },
  { method: 'debug_storageRangeAt', params: [hash, 0, address, '0x', 10], result: {} },
  { method: 'debug_accountRange', params: ['latest', '0x', 10, true, true, false], result: {} },
  {
    method: 'trace_filter',
    params: [{ fromBlock: '0x1', toAddress: [address], mode: 'union', count: 1 }],
    result: [trace],
  },
  { method: 'trace_get', params: [hash, ['0x0']], result: trace },
  { method: 'trace_callMany', params: [[[call, ['trace', 'vmTrace']]], 'latest'], result: [{}] },
  { method: 'trace_replayBlockTransactions', params: ['0x1', ['stateDiff']], result: null },
  {
    method: 'optimism_safeHeadAtL1Block',
    params: ['0x1'],
    result: { l1Block: { hash, number: 1 }, safeHead: { hash, number: 2 } },
  },
]

const compiled = new Map<string, { readonly params: ValidateFunction; readonly result: ValidateFunction }>()

function documented(name: string): { readonly params: ValidateFunction; readonly result: ValidateFunction } {
  const known = compiled.get(name)
  if (known !== undefined) return known
  const { params, result } = document.methods.find((method) => method.name === name)!
  const list = {
    type: 'array',
    ...(params.length > 0 && { items: params.map(({ schema }) => schema) }),
    minItems: params.filter(({ required }) => required).length,
    maxItems: params.length,
  }
  const compile = (schema: object): ValidateFunction =>
    ajv.compile(JSON.parse(JSON.stringify(schema).replaceAll('"#/components/', '"document#/components/')) as object)
  const both = { params: compile(list), result: compile(result.schema) }
  compiled.set(name, both)
  return both
}

type Path = readonly (string | number)[]

function pathsIn(value: unknown, path: Path = []): Path[] {
  if (typeof value !== 'object' || value === null) return [path]
  // A long list is as its first elements are.
  const entries: [string | number, unknown][] = Array.isArray(value)
    ? value.slice(0, 3).map((each, i) => [i, each])
    : Object.entries(value)
  return [path, ...entries.flatMap(([key, member]) => pathsIn(member, [...path, key]))]
}

const hex = fc.oneof(
  fc.constantFrom(
    '0x',
    '0x0',
    '0x00',
    '0x01',
    '0X1',
    '0x1g',
    '',
    '0',
    '7',
    '007',
    '-1',
    'latest',
    'pending',
    'newest',
    '0x1\n',
  ),
  fc.integer({ min: 1, max: 66 }).map((digits) => `0x${'f'.repeat(digits)}`),
  fc.constantFrom(8, 16, 20, 32, 256).map((bytes) => `0x${'aB'.repeat(bytes)}`),
)
const replacement: fc.Arbitrary<unknown> = fc.oneof(
  { weight: 4, arbitrary: hex },
  fc.constantFrom<unknown>(undefined, null, true, false, 0, 1, -1, 1.5, 2 ** 53 - 1, 2 ** 53, {}, [], [null], [[]]),
  fc.record({ blockHash: hex, blockNumber: hex, requireCanonical: fc.boolean() }, { requiredKeys: [] }),
  fc.array(hex, { maxLength: 6 }),
  fc.dictionary(hex, hex, { maxKeys: 2 }),
)

/** Whether only a predicate refuses the value: the document takes it, the check does not. */
function onlyAPredicate(method: string, part: 'params' | 'result', value: unknown): boolean {
  const list = value as readonly unknown[]
  if (part === 'result') {
    // An element with topics is to be a log.
    return method === 'eth_getFilterChanges' && list.some((each) => Object.hasOwn(Object(each) as object, 'topics'))
  }
  // The kind decides which argument it takes.
  if (method === 'eth_subscribe') return list.length > 0
  // A decimal number is below 2^64.
  if (method === 'eth_getBlockReceipts') return /^\d{20}$/.test(String(list[0]))
  // Percentiles never fall.
  return method === 'eth_feeHistory' && Array.isArray(list[2]) && list[2].length > 1
}

function verdicts(
  method: string,
  part: 'params' | 'result',
  value: unknown,
): readonly [checked: boolean, documented: boolean] {
  const judged = documented(method)[part](value)
  return [table[method]![part].check(value, '') === undefined, judged]
}

test.each(['params', 'result'] as const)('the document judges changed %s as the checks do', (part) => {
  const answered = calls.flatMap(({ method, params, answer }) =>
    answer.error === undefined ? [{ method, params, result: answer.result }] : [],
  )
  const subjects = [...answered, ...unrecorded].flatMap(({ method, [part]: value }) =>
    value === undefined ? [] : [{ method, value, paths: pathsIn(value) }],
  )
  for (const { method, value } of subjects) expect(verdicts(method, part, value), method).toEqual([true, true])
  let refused = 0
  const mutation = fc
    .constantFrom(...subjects)
    .chain(({ method, value, paths }) =>
      fc.tuple(fc.constant(method), fc.constant(value), fc.constantFrom(...paths), replacement),
    )
  fc.assert(
    fc.property(mutation, ([method, value, path, to]) => {
      const changed = path.length === 0 || typeof value !== 'object' || value === null ? to : altered(value, path, to)
      if (changed === undefined) return
      // As it comes over the wire: an element that was removed is null.
      const wire: unknown = JSON.parse(JSON.stringify(changed))
      const [checked, taken] = verdicts(method, part, wire)
      if (!checked) refused++
      if (checked !== taken && !(taken && onlyAPredicate(method, part, wire)))
        throw new Error(`${method} ${part} ${JSON.stringify(wire)}: checked ${checked}, documented ${taken}`)
    }),
    { numRuns: Number(process.env['RUNS'] ?? 5_000) },
  )
  expect(refused).toBeGreaterThan(500)
})
