import type { MethodSpec } from './method-spec.ts'
import type { AnyMember, AnySchema } from './schema.ts'

/** Parts of a document beside its methods. */
export interface OpenRpcOptions {
  readonly title: string
  readonly version: string
  readonly description?: string
  /** Schemas by name that stand once, under `components`; elsewhere they are referred to. */
  readonly named?: Readonly<Record<string, AnySchema>>
}

/** A document that describes methods: plain JSON. Source: OpenRPC 1.3. */
export interface OpenRpcDocument {
  readonly openrpc: string
  readonly info: { readonly title: string; readonly version: string; readonly description?: string }
  readonly methods: readonly OpenRpcMethod[]
  readonly components: { readonly schemas: Readonly<Record<string, object>> }
}

export interface OpenRpcMethod {
  readonly name: string
  readonly summary: string
  readonly paramStructure: 'by-position'
  readonly params: readonly { readonly name: string; readonly required: boolean; readonly schema: object }[]
  readonly result: { readonly name: string; readonly schema: object }
  /** The definition of the method. */
  readonly 'x-source': string
  readonly 'x-effect': MethodSpec<never, never>['effect']
  /** How long an answer stays true; absent if it must not be kept. */
  readonly 'x-cache'?: NonNullable<MethodSpec<never, never>['cache']>
}

/** The part of a method's spec that a document tells. */
type DescribedMethod = Pick<MethodSpec<never, never>, 'summary' | 'source' | 'effect' | 'cache' | 'paramNames'> & {
  readonly params: AnySchema
  readonly result: AnySchema
}

/** The document of a method table. A value that only a predicate judges is described in words. */
export function openRpcDocument(
  methods: Readonly<Record<string, DescribedMethod>>,
  options: OpenRpcOptions,
): OpenRpcDocument {
  const { named = {}, ...info } = options
  const names = new Map(Object.entries(named).map(([name, schema]) => [schema, name]))
  const written = (schema: AnySchema): object => ({ description: schema.expected, ...jsonOf(schema, of) })
  const of = (schema: AnySchema): object => {
    const name = names.get(schema)
    return name === undefined ? written(schema) : { $ref: `#/components/schemas/${name}` }
  }
  const document = {
    openrpc: '1.3.2',
    info,
    methods: Object.entries(methods).map(([name, spec]) => describeMethod(name, spec, of)),
    components: { schemas: Object.fromEntries([...names].map(([schema, name]) => [name, written(schema)])) },
  }
  // Drops members that are undefined.
  return JSON.parse(JSON.stringify(document)) as OpenRpcDocument
}

function describeMethod(name: string, spec: DescribedMethod, of: (schema: AnySchema) => object): OpenRpcMethod {
  const { items = [] } = jsonOf(spec.params, of) as { readonly items?: readonly object[] }
  return {
    name,
    summary: spec.summary,
    paramStructure: 'by-position',
    params: (spec.paramNames ?? []).map((param, i) => ({
      name: param.replace(/\?$/, ''),
      required: !param.endsWith('?'),
      schema: items[i] ?? {},
    })),
    result: { name: 'result', schema: of(spec.result) },
    'x-source': spec.source,
    'x-effect': spec.effect,
    ...(spec.cache && { 'x-cache': spec.cache }),
  }
}

/** The JSON Schema (draft 7) of a schema, without its description; `of` makes those of the schemas inside. */
export function jsonOf({ expected, json, parts }: AnySchema, of: (schema: AnySchema) => object): object {
  if (json !== undefined) return json(of)
  const ofMember = (member: AnyMember): object => of('optional' in member ? member.optional : member)
  switch (parts?.kind) {
    case 'array':
      return { type: 'array', items: of(parts.item) }
    case 'tuple':
      return {
        type: 'array',
        items: parts.items.map(ofMember),
        minItems: parts.items.findLastIndex((item) => !('optional' in item)) + 1,
        maxItems: parts.items.length,
      }
    case 'object':
      return {
        type: 'object',
        title: expected,
        properties: Object.fromEntries(parts.members.map(([name, member]) => [name, ofMember(member)])),
        required: parts.members.filter(([, member]) => !('optional' in member)).map(([name]) => name),
        additionalProperties: parts.refusal && false,
      }
    case 'record':
      return {
        type: 'object',
        additionalProperties: of(parts.item),
        propertyNames: parts.name && of(parts.name),
      }
    case 'nullable':
      return { anyOf: [of(parts.item), { type: 'null' }] }
    case 'choice':
      return { anyOf: parts.shapes.length === 0 ? undefined : parts.shapes.map(of) }
    case undefined:
      return {}
  }
}
