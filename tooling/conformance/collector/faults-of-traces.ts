import { isDeepStrictEqual } from 'node:util'
import type { ComparedSpan } from './run-collector.ts'
import type { TracedCalls } from './trace-calls.ts'

/** Lists what a collector made of traces otherwise than the gateway meant it, in sentences. None: it took all. */
export function faultsOfTraces({ sent, received, answers, dropped, reported, parent }: TracedCalls): readonly string[] {
  const faults: string[] = []
  const must = (isRight: boolean, fault: string): void => void (isRight || faults.push(fault))
  for (const answer of answers) must(/^200 (?:\{\}|\{"partialSuccess":\{\}\})$/.test(answer), `it answered ${answer}`)
  must(dropped === 0, `the gateway gave up ${dropped} spans`)
  must(sent.length === received.length, `${sent.length} spans were sent, ${received.length} came`)
  const bySpan = new Map(received.map((span) => [`${span.traceId} ${span.spanId}`, span]))
  must(bySpan.size === received.length, 'two spans have one id')
  for (const span of sent) {
    const other = bySpan.get(`${span.traceId} ${span.spanId}`)
    for (const name of Object.keys(span) as (keyof ComparedSpan)[]) {
      must(
        isDeepStrictEqual(other?.[name], span[name]),
        `${name} of ${span.name} is ${JSON.stringify(other?.[name])}, not ${JSON.stringify(span[name])}`,
      )
    }
  }
  for (const { name, traceId, parentSpanId } of received) {
    if (parentSpanId === undefined || parentSpanId === parent.spanId) continue
    must(bySpan.has(`${traceId} ${parentSpanId}`), `the parent of ${name} did not come`)
  }
  const treeOf = (traceId: string): string[] =>
    received.filter((span) => span.traceId === traceId).map(({ kind, name }) => `${kind} ${name}`)
  const trees: Record<keyof TracedCalls['reported'], readonly string[]> = {
    single: ['Server net_version', 'Internal cache', 'Client net_version'],
    cached: ['Server net_version', 'Internal cache'],
    follows: ['Server eth_gasPrice', 'Internal cache', 'Client eth_gasPrice'],
    retried: ['Server eth_gasPrice', 'Internal cache', 'Client eth_gasPrice', 'Client eth_gasPrice'],
    refused: ['Server jsonrpc'],
    batch: [
      'Server batch',
      'Internal eth_maxPriorityFeePerGas',
      'Internal cache',
      'Client eth_maxPriorityFeePerGas',
      'Internal eth_call',
      'Internal cache',
      'Client eth_call',
    ],
  }
  for (const [name, tree] of Object.entries(trees) as [keyof typeof trees, readonly string[]][]) {
    const came = treeOf(reported[name])
    must(
      isDeepStrictEqual(came.toSorted(), tree.toSorted()),
      `the trace of ${name} is ${came.join(', ')}, not ${tree.join(', ')}`,
    )
  }
  must(reported.follows === parent.traceId, 'a traceparent named no trace')
  const names = new Set(received.map(({ name }) => name))
  for (const name of ['coalesce', 'eth_blockNumber']) must(names.has(name), `no span is named ${name}`)
  return faults
}
