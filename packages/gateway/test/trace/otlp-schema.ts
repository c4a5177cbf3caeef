/**
 * The members of `ExportTraceServiceRequest` and what it holds, by their names and types in JSON: opentelemetry-proto v1.10.0,
 * `collector/trace/v1/trace_service.proto`, `trace/v1/trace.proto`, `resource/v1/resource.proto`, `common/v1/common.proto`, with the rules for
 * JSON of the OTLP specification: members in lowerCamelCase, ids in hex, 64-bit numbers as decimal text, enums as numbers.
 */
type Kind = 'text' | 'hex16' | 'hex8' | 'fixed64' | 'int64' | 'uint32' | 'enum' | 'bool' | 'double'
type Member = Kind | { readonly message: string } | { readonly list: string }

const messages: Readonly<Record<string, Readonly<Record<string, Member>>>> = {
  ExportTraceServiceRequest: { resourceSpans: { list: 'ResourceSpans' } },
  ResourceSpans: { resource: { message: 'Resource' }, scopeSpans: { list: 'ScopeSpans' }, schemaUrl: 'text' },
  Resource: { attributes: { list: 'KeyValue' }, droppedAttributesCount: 'uint32' },
  ScopeSpans: { scope: { message: 'InstrumentationScope' }, spans: { list: 'Span' }, schemaUrl: 'text' },
  InstrumentationScope: { name: 'text', version: 'text', attributes: { list: 'KeyValue' } },
  Span: {
    traceId: 'hex16',
    spanId: 'hex8',
    traceState: 'text',
    parentSpanId: 'hex8',
    flags: 'uint32',
    name: 'text',
    kind: 'enum',
    startTimeUnixNano: 'fixed64',
    endTimeUnixNano: 'fixed64',
    attributes: { list: 'KeyValue' },
    droppedAttributesCount: 'uint32',
    status: { message: 'Status' },
  },
  Status: { message: 'text', code: 'enum' },
  KeyValue: { key: 'text', value: { message: 'AnyValue' } },
  AnyValue: { stringValue: 'text', boolValue: 'bool', intValue: 'int64', doubleValue: 'double' },
}

const checks: Readonly<Record<Kind, (value: unknown) => boolean>> = {
  text: (value) => typeof value === 'string',
  hex16: (value) => typeof value === 'string' && /^[\da-f]{32}$/.test(value),
  hex8: (value) => typeof value === 'string' && /^[\da-f]{16}$/.test(value),
  fixed64: (value) => typeof value === 'string' && /^\d{1,20}$/.test(value) && BigInt(value) < 2n ** 64n,
  int64: (value) => typeof value === 'string' && /^-?\d{1,19}$/.test(value),
  uint32: (value) => Number.isInteger(value) && (value as number) >= 0 && (value as number) < 2 ** 32,
  enum: (value) => Number.isInteger(value) && (value as number) >= 0 && (value as number) <= 5,
  bool: (value) => typeof value === 'boolean',
  double: (value) => typeof value === 'number',
}

/** Lists what is wrong with a message, with the places. */
export function faultsOf(value: unknown, message = 'ExportTraceServiceRequest', place = message): readonly string[] {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return [`${place} is no object`]
  return Object.entries(value).flatMap(([name, member]: [string, unknown]): readonly string[] => {
    const at = `${place}.${name}`
    const type = messages[message]![name]
    if (type === undefined) return [`${at} is unknown`]
    if (typeof type === 'string') return checks[type](member) ? [] : [`${at} is no ${type}`]
    if ('message' in type) return faultsOf(member, type.message, at)
    return Array.isArray(member) ? member.flatMap((each) => faultsOf(each, type.list, at)) : [`${at} is no list`]
  })
}
