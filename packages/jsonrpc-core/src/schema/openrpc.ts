import type { MethodSpec } from './method-spec.ts'
import type { AnySchema } from './schema.ts'

/** What a document says beside its methods. */
export interface OpenRpcOptions {
  readonly title: string
  readonly version: string
  readonly description?: string
  /** Schemas that are written once, under `components`, by their names; elsewhere they are referred to. */
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
  /** Where the method is defined. */
  readonly 'x-source': string
  readonly 'x-effect': MethodSpec<never, never>['effect']
  /** How long an answer stays true; absent where it is not to be kept. */
  readonly 'x-cache'?: NonNullable<MethodSpec<never, never>['cache']>
}

/** Of a method's spec, what a document tells. */
type DescribedMethod = Pick<MethodSpec<never, never>, 'summary' | 'source' | 'effect' | 'cache' | 'paramNames'> & {
  readonly params: AnySchema
  readonly result: AnySchema
}

/** The document of a method table. What only a predicate knows of a value stands in its description. */
export function openRpcDocument(
  methods: Readonly<Record<string, DescribedMethod>>,
  options: OpenRpcOptions,
): OpenRpcDocument {
  const { named = {}, ...info } = options
  const names = new Map(Object.entries(named).map(([name, schema]) => [schema, name]))
  const written = (schema: AnySchema): object => ({ description: schema.expected, ...schema.json?.(of) })
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
  // Members that are undefined are none.
  return JSON.parse(JSON.stringify(document)) as OpenRpcDocument
}

function describeMethod(name: string, spec: DescribedMethod, of: (schema: AnySchema) => object): OpenRpcMethod {
  const { items = [] } = (spec.params.json?.(of) ?? {}) as { readonly items?: readonly object[] }
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
