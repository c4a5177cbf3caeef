/** A JSON schema, as far as forms are made of it. */
export interface JsonSchema {
  readonly $ref?: string
  readonly description?: string
  readonly title?: string
  readonly type?: string | readonly string[]
  readonly enum?: readonly unknown[]
  readonly anyOf?: readonly JsonSchema[]
  readonly oneOf?: readonly JsonSchema[]
  readonly properties?: Readonly<Record<string, JsonSchema>>
  readonly required?: readonly string[]
  readonly not?: object
}

interface RpcParam {
  readonly name: string
  readonly required?: boolean
  readonly schema: JsonSchema
}

export interface RpcMethod {
  readonly name: string
  readonly summary?: string
  readonly params: readonly RpcParam[]
  readonly paramStructure?: string
  /** `read`, `write` or `session`. */
  readonly 'x-effect'?: string
}

/** The document of a kind of networks, as far as it is used. */
export interface OpenRpc {
  readonly methods: readonly RpcMethod[]
  readonly components?: { readonly schemas?: Readonly<Record<string, JsonSchema>> }
}

/** A field of a form. */
export type FieldSpec =
  | { readonly kind: 'text'; readonly hint: string; readonly choices: readonly string[]; readonly takesJson: boolean }
  | { readonly kind: 'choice'; readonly hint: string; readonly choices: readonly string[] }
  | { readonly kind: 'number' | 'boolean' | 'json'; readonly hint: string }
  | { readonly kind: 'object'; readonly hint: string; readonly fields: readonly ObjectField[] }

export interface ObjectField {
  readonly name: string
  readonly isRequired: boolean
  readonly spec: FieldSpec
}

const deepest = 8

/** Chooses the field for a schema: text for strings, fields for an object, and JSON for what has no simple form. */
export function fieldOf(schema: JsonSchema, document: OpenRpc, depth = 0): FieldSpec {
  const hint = hintOf(schema, document)
  const kinds = flatten(schema, document)
  const choices = kinds.flatMap(({ enum: values = [] }) => values.filter((value) => typeof value === 'string'))
  const types = new Set(kinds.flatMap(({ type = [] }) => type))
  if (types.has('string')) return { kind: 'text', hint, choices, takesJson: types.has('object') || types.has('array') }
  if (choices.length > 0) return { kind: 'choice', hint, choices }
  const object = kinds.find(({ properties }) => properties !== undefined)
  if (object !== undefined && depth === 0) {
    const fields = Object.entries(object.properties!).flatMap(([name, own]) =>
      own.not === undefined
        ? [{ name, isRequired: object.required?.includes(name) ?? false, spec: fieldOf(own, document, depth + 1) }]
        : [],
    )
    return { kind: 'object', hint, fields }
  }
  if (types.has('boolean') && types.size === 1) return { kind: 'boolean', hint }
  if ((types.has('integer') || types.has('number')) && types.size === 1) return { kind: 'number', hint }
  return { kind: 'json', hint }
}

function resolve(schema: JsonSchema, document: OpenRpc): JsonSchema {
  const name = schema.$ref?.split('/').at(-1)
  return name === undefined ? schema : (document.components?.schemas?.[name] ?? {})
}

/** The alternatives of a schema, without references. */
function flatten(schema: JsonSchema, document: OpenRpc, depth = 0): readonly JsonSchema[] {
  const own = resolve(schema, document)
  const parts = own.anyOf ?? own.oneOf
  if (parts === undefined || depth > deepest) return [own]
  return parts.flatMap((part) => flatten(part, document, depth + 1))
}

function hintOf(schema: JsonSchema, document: OpenRpc): string {
  const { description = '', title = '' } = resolve(schema, document)
  return schema.description ?? (description === '' ? title : description)
}

/** What stands in a field: a text, or the texts of the fields of an object. */
export type Draft = string | { readonly [name: string]: string }

/** A value that cannot be read, and where. */
export class DraftError extends Error {
  override readonly name: string = 'DraftError'
}

/** Reads a field; undefined where it is empty. @throws DraftError */
export function valueOf(spec: FieldSpec, draft: Draft | undefined, where: string): unknown {
  if (spec.kind === 'object') {
    const texts = typeof draft === 'object' ? draft : {}
    const entries = spec.fields.flatMap(({ name, spec: own }) => {
      const value = valueOf(own, texts[name], `${where}.${name}`)
      return value === undefined ? [] : [[name, value] as const]
    })
    return entries.length === 0 ? undefined : Object.fromEntries(entries)
  }
  const text = typeof draft === 'string' ? draft.trim() : ''
  if (text === '') return undefined
  switch (spec.kind) {
    case 'text':
      return spec.takesJson && /^[[{"]/.test(text) ? readJson(text, where) : text
    case 'choice':
      return text
    case 'number': {
      refuseLong(text, where)
      const value = Number(text)
      if (Number.isNaN(value)) throw new DraftError(`${where}: expected a number`)
      return value
    }
    case 'boolean':
      return text === 'true'
    case 'json':
      return readJson(text, where)
  }
}

function readJson(text: string, where: string): unknown {
  refuseLong(text, where)
  try {
    return JSON.parse(text)
  } catch (thrown) {
    throw new DraftError(`${where}: no JSON: ${(thrown as Error).message}`)
  }
}

/** Refuses numbers that would be rounded where they are read. */
function refuseLong(text: string, where: string): void {
  if (/\d{16}/.test(text.replaceAll(/"(?:[^"\\]|\\.)*"/g, '')))
    throw new DraftError(`${where}: a number of 16 digits or more: write the params as JSON`)
}

/** Reads all params of a method; what is empty at the end is left out, what is empty before it is null. @throws DraftError */
export function paramsOf(
  method: RpcMethod,
  document: OpenRpc,
  drafts: Readonly<Record<string, Draft>>,
): unknown[] | object {
  const values = method.params.map(({ name, schema, required = false }) => {
    const spec = fieldOf(schema, document)
    const value = valueOf(spec, drafts[name], name)
    if (value === undefined && required) {
      if (spec.kind === 'object') return {}
      throw new DraftError(`${name}: a value is needed`)
    }
    return value
  })
  if (method.paramStructure === 'by-name') {
    return Object.fromEntries(
      method.params.flatMap(({ name }, i) => (values[i] === undefined ? [] : [[name, values[i]]])),
    )
  }
  const end = values.findLastIndex((value) => value !== undefined)
  return values.slice(0, end + 1).map((value) => value ?? null)
}
