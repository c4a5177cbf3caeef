import type { ComparedSpan } from './run-collector.ts'

interface KeyValue {
  readonly key: string
  readonly value: { readonly stringValue?: string; readonly intValue?: string; readonly boolValue?: boolean }
}

interface SentSpan {
  readonly traceId: string
  readonly spanId: string
  readonly parentSpanId?: string
  readonly name: string
  readonly kind: number
  readonly startTimeUnixNano: string
  readonly endTimeUnixNano: string
  readonly attributes: readonly KeyValue[]
  readonly status?: { readonly code: number; readonly message?: string }
}

interface SentExport {
  readonly resourceSpans: readonly {
    readonly resource: { readonly attributes: readonly KeyValue[] }
    readonly scopeSpans: readonly { readonly scope: { readonly name: string }; readonly spans: readonly SentSpan[] }[]
  }[]
}

/** The collector's words for `SpanKind` and `StatusCode`, by their numbers. */
const kinds = ['Unspecified', 'Internal', 'Server', 'Client', 'Producer', 'Consumer']
const statuses = ['Unset', 'Ok', 'Error']

/** Reads the spans of a body that the gateway sent, in the form in which the collector prints them. */
export function sentSpans(body: string): readonly ComparedSpan[] {
  const { resourceSpans } = JSON.parse(body) as SentExport
  return resourceSpans.flatMap(({ resource, scopeSpans }) =>
    scopeSpans.flatMap(({ scope, spans }) =>
      spans.map(
        ({ traceId, spanId, parentSpanId, name, kind, startTimeUnixNano, endTimeUnixNano, attributes, status }) => ({
          service: valuesOf(resource.attributes)['service.name'],
          scope: scope.name,
          traceId,
          spanId,
          ...(parentSpanId !== undefined && { parentSpanId }),
          name,
          kind: kinds[kind]!,
          start: startTimeUnixNano,
          end: endTimeUnixNano,
          status: statuses[status?.code ?? 0]!,
          ...(status?.message !== undefined && { message: status.message }),
          attributes: valuesOf(attributes),
        }),
      ),
    ),
  )
}

function valuesOf(attributes: readonly KeyValue[]): Readonly<Record<string, unknown>> {
  return Object.fromEntries(
    attributes.map(({ key, value }) => [
      key,
      value.stringValue ?? value.boolValue ?? (value.intValue === undefined ? undefined : Number(value.intValue)),
    ]),
  )
}
