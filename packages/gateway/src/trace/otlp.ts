import type { CallRecord } from './call-record.ts'
import type { CallTrace, Mark } from './call-trace.ts'
import type { RequestSpan } from './request-span.ts'

/** A value of an attribute, as OTLP prints it: whole numbers as text. */
type AnyValue = { readonly stringValue: string } | { readonly intValue: string } | { readonly boolValue: boolean }

interface Attribute {
  readonly key: string
  readonly value: AnyValue
}

/** A span as OTLP/HTTP has it in JSON (opentelemetry-proto v1.10, `trace.proto`): ids in hex, 64-bit numbers as text, enums as numbers. */
export interface Span {
  readonly traceId: string
  readonly spanId: string
  readonly parentSpanId?: string
  readonly name: string
  /** 1 internal, 2 server, 3 client. */
  readonly kind: 1 | 2 | 3
  readonly startTimeUnixNano: string
  readonly endTimeUnixNano: string
  readonly attributes: readonly Attribute[]
  /** 2: an error. */
  readonly status?: { readonly code: 2; readonly message?: string }
}

/** Makes the id of the span `n` of a call, from 1: they are next to that of the request, so that they differ within the trace. */
function childId(spanId: string, n: number): string {
  const last = (Number.parseInt(spanId.slice(10), 16) + n) % 0x1_000_000
  return spanId.slice(0, 10) + last.toString(16).padStart(6, '0')
}

/** Spans that a call may have. */
const spansOfCall = 128

/** Makes the id of the span of a call: that of its request, or one by its place in the batch. */
function ownId({ span, nth }: CallTrace): string {
  return nth === undefined ? span!.spanId : childId(span!.spanId, nth * spansOfCall)
}

/** Finds the id of the span of the last attempt of a call at an upstream; undefined where it is not sampled, or not asked. */
export function attemptSpanId(trace: CallTrace, upstream: string): string | undefined {
  if (trace.span === undefined) return undefined
  const place = trace.marks.findLastIndex(({ kind, name }) => isAttempt(kind) && name === upstream)
  return place === -1 ? undefined : childId(ownId(trace), place + 1)
}

const isAttempt = (kind: Mark['kind']): boolean => kind === 'asked' || kind === 'hedged'

const text = (key: string, value: string): Attribute => ({ key, value: { stringValue: value } })
const whole = (key: string, value: number): Attribute => ({ key, value: { intValue: String(Math.round(value)) } })
const flag = (key: string, value: boolean): Attribute => ({ key, value: { boolValue: value } })

/** Prints a date in ms as nanoseconds; a number of them would be rounded to a quarter of a microsecond. */
function nanos(ms: number): string {
  const wholeMs = Math.floor(ms)
  return `${wholeMs}${String(Math.floor((ms - wholeMs) * 1e6)).padStart(6, '0')}`
}

/**
 * Makes the spans of a call that is sampled: the call as a server's, and each attempt at an upstream as a client's, by the semantic conventions
 * for JSON-RPC (OpenTelemetry 1.45: `rpc.*`, `jsonrpc.*`, `error.type`), with members of our own under `wayleave.`. `zero`: the date in ms at
 * which the clock was 0.
 */
export function spansOf(record: CallRecord, zero: number): readonly Span[] {
  const { trace, ms } = record
  const { traceId, spanId } = trace.span!
  const parentId = trace.nth === undefined ? trace.span!.parentId : spanId
  const id = ownId(trace)
  const start = zero + trace.begunAt
  // Names of spans and methods must be few.
  const name = trace.isKnown ? trace.method : 'jsonrpc'
  const rpc = [
    text('rpc.system.name', 'jsonrpc'),
    text('rpc.method', trace.isKnown ? trace.method : '_OTHER'),
    ...(trace.isKnown ? [] : [text('rpc.method_original', trace.method)]),
    text('jsonrpc.protocol.version', '2.0'),
  ]
  const own: Span = {
    traceId,
    spanId: id,
    ...(parentId !== undefined && { parentSpanId: parentId }),
    name,
    kind: trace.nth === undefined ? 2 : 1,
    startTimeUnixNano: nanos(start),
    endTimeUnixNano: nanos(start + ms),
    attributes: [
      ...rpc,
      text('wayleave.trace_id', trace.id),
      text('wayleave.network', trace.network),
      text('wayleave.project', trace.project),
      text('wayleave.outcome', record.outcome),
      ...optional('wayleave.cache', record.cache),
      ...optional('wayleave.upstream', record.upstream),
      ...optional('wayleave.verification', record.verification),
      ...optional('wayleave.coalesced_with', trace.leader?.id),
      ...errorAttributes(record.code),
    ],
    ...(record.outcome !== 'answered' && { status: { code: 2, ...(record.message && { message: record.message }) } }),
  }
  const { marks } = trace
  const parts = marks.flatMap((mark, i): Span[] => {
    const part = { traceId, spanId: childId(id, i + 1), parentSpanId: id }
    const stage = stageOf(mark, marks.slice(i + 1), trace.begunAt, trace.begunAt + ms)
    if (stage !== undefined) {
      const [title, from, to] = stage
      const times = { startTimeUnixNano: nanos(zero + from), endTimeUnixNano: nanos(zero + to) }
      return [{ ...part, name: title, kind: 1, ...times, attributes: [] }]
    }
    if (!isAttempt(mark.kind)) return []
    const end = marks.find(
      (other, j) => j > i && other.name === mark.name && (other.kind === 'answered' || other.kind === 'failed'),
    )
    const failure = end?.kind === 'failed' ? end.why!.split('\n')[0]! : undefined
    const begun = zero + mark.ms
    return [
      {
        ...part,
        name,
        kind: 3,
        startTimeUnixNano: nanos(begun),
        endTimeUnixNano: nanos(end === undefined ? Math.max(begun, start + ms) : begun + end.ms),
        attributes: [
          ...rpc,
          text('wayleave.upstream', mark.name),
          flag('wayleave.hedge', mark.kind === 'hedged'),
          text('wayleave.outcome', failure ?? (end === undefined ? 'given_up' : 'answered')),
          ...optional('error.type', failure),
        ],
        ...(failure !== undefined && { status: { code: 2 as const } }),
      },
    ]
  })
  if (trace.left === 0) return [own, ...parts]
  return [{ ...own, attributes: [...own.attributes, whole('wayleave.marks_left_out', trace.left)] }, ...parts]
}

/** Names the stage that a mark begins, with its times on the clock; undefined where it begins none. */
function stageOf(
  { kind, ms }: Mark,
  later: readonly Mark[],
  begunAt: number,
  endedAt: number,
): readonly [name: string, from: number, to: number] | undefined {
  if (kind === 'entered') return ['cache', ms, later.find((mark) => mark.kind === 'passed')?.ms ?? endedAt]
  if (kind === 'joined') return ['coalesce', ms, endedAt]
  if (kind !== 'queued') return undefined
  const to = later.find((mark) => isAttempt(mark.kind))?.ms ?? begunAt + ms
  return ['queue', to - ms, to]
}

/** A batch, as a whole. */
export interface TracedBatch {
  readonly span: RequestSpan
  /** The trace id that its caller was given. */
  readonly id: string
  readonly network: string
  /** The clock, in ms. */
  readonly begunAt: number
  readonly ms: number
  readonly calls: number
}

/** Makes the span of a batch, above those of its calls. */
export function spanOfBatch({ span, id, network, begunAt, ms, calls }: TracedBatch, zero: number): Span {
  return {
    traceId: span.traceId,
    spanId: span.spanId,
    ...(span.parentId !== undefined && { parentSpanId: span.parentId }),
    name: 'batch',
    kind: 2,
    startTimeUnixNano: nanos(zero + begunAt),
    endTimeUnixNano: nanos(zero + begunAt + ms),
    attributes: [
      text('rpc.system.name', 'jsonrpc'),
      text('jsonrpc.protocol.version', '2.0'),
      text('wayleave.trace_id', id),
      text('wayleave.network', network),
      whole('wayleave.batch.calls', calls),
    ],
  }
}

function optional(key: string, value: string | undefined): readonly Attribute[] {
  return value === undefined ? [] : [text(key, value)]
}

function errorAttributes(code: number | string | undefined): readonly Attribute[] {
  if (code === undefined) return []
  return [
    text('error.type', String(code)),
    ...(typeof code === 'number' ? [text('rpc.response.status_code', String(code))] : []),
  ]
}

/** Prints an `ExportTraceServiceRequest` in JSON. */
export function printExport(spans: readonly Span[]): string {
  const resource = { attributes: [text('service.name', 'wayleave')] }
  const scopeSpans = [{ scope: { name: '@wayleave/gateway' }, spans }]
  return JSON.stringify({ resourceSpans: [{ resource, scopeSpans }] })
}
