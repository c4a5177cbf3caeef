import {
  array,
  choice,
  integer,
  is,
  type MethodTable,
  nonEmptyArray,
  nullable,
  object,
  oneOf,
  openRpcDocument,
  optional,
  record,
  type Schema,
  secret,
  text,
  tuple,
} from '@wayleave/jsonrpc-core/schema'
import { expect, it } from 'vitest'

interface Head {
  readonly number: number
  readonly parent?: string | null
}
interface Methods {
  readonly chain_head: { readonly params: readonly [at: string | number, detail?: 'full']; readonly result: Head }
  readonly chain_tags: { readonly params: readonly []; readonly result: Readonly<Record<string, readonly Head[]>> }
}

const hash = text<string>('a hash', /^0x[0-9a-f]{64}$/)
const head: Schema<Head> = object<Head>('a head', {
  number: integer('a height', 0, 100),
  parent: optional(nullable(hash)),
})
const height = is<number>('an odd height', (value) => Number(value) % 2 === 1)
const at = choice<string | number>('a hash or a height', (value) => (typeof value === 'string' ? hash : height), [
  hash,
  height,
])
const methods: MethodTable<Methods> = {
  chain_head: {
    summary: 'A head.',
    source: 'here',
    params: tuple<Methods['chain_head']['params']>(at, optional(oneOf('full'))),
    result: head,
    paramNames: ['at', 'detail?'],
    effect: 'read',
    blockParam: 0,
    cache: 'block',
  },
  chain_tags: {
    summary: 'Heads by tag.',
    source: 'there',
    params: tuple<readonly []>(),
    result: record(array(head)),
    effect: 'read',
  },
}

it('describes a table: params by their names, results, and each named schema once', () => {
  const ref = { $ref: '#/components/schemas/Head' }
  expect(openRpcDocument(methods, { title: 'Chain', version: '1.2.3', named: { Head: head, Hash: hash } })).toEqual({
    openrpc: '1.3.2',
    info: { title: 'Chain', version: '1.2.3' },
    methods: [
      {
        name: 'chain_head',
        summary: 'A head.',
        paramStructure: 'by-position',
        params: [
          {
            name: 'at',
            required: true,
            schema: {
              description: 'a hash or a height',
              anyOf: [{ $ref: '#/components/schemas/Hash' }, { description: 'an odd height' }],
            },
          },
          { name: 'detail', required: false, schema: { description: '"full"', enum: ['full'] } },
        ],
        result: { name: 'result', schema: ref },
        'x-source': 'here',
        'x-effect': 'read',
        'x-cache': 'block',
      },
      {
        name: 'chain_tags',
        summary: 'Heads by tag.',
        paramStructure: 'by-position',
        params: [],
        result: {
          name: 'result',
          schema: {
            description: 'an object, each member an array, each a head',
            type: 'object',
            additionalProperties: { description: 'an array, each a head', type: 'array', items: ref },
          },
        },
        'x-source': 'there',
        'x-effect': 'read',
      },
    ],
    components: {
      schemas: {
        Head: {
          description: 'a head',
          title: 'a head',
          type: 'object',
          properties: {
            number: { description: 'a height', type: 'integer', minimum: 0, maximum: 100 },
            parent: {
              description: 'a hash or null',
              anyOf: [{ $ref: '#/components/schemas/Hash' }, { type: 'null' }],
            },
          },
          required: ['number'],
        },
        Hash: { description: 'a hash', type: 'string', pattern: '^0x[0-9a-f]{64}$' },
      },
    },
  })
})

it('describes arrays that are not empty, records by their names, closed objects, and secrets as what they are', () => {
  const tags = secret(record(nonEmptyArray(hash), text('a tag', /^\w+$/)))
  const closed = object<{ readonly tags: Readonly<Record<string, readonly string[]>> }>(
    'a book',
    { tags },
    { closed: { pages: 'no pages' } },
  )
  const { components } = openRpcDocument({}, { title: 'Chain', version: '1.2.3', named: { Book: closed, Hash: hash } })
  expect(components.schemas['Book']).toEqual({
    description: 'a book',
    title: 'a book',
    type: 'object',
    properties: {
      tags: {
        description: 'an object, each member an array, each a hash',
        type: 'object',
        propertyNames: { description: 'a tag', type: 'string', pattern: '^\\w+$' },
        additionalProperties: {
          description: 'an array, each a hash',
          type: 'array',
          items: { $ref: '#/components/schemas/Hash' },
          minItems: 1,
        },
      },
    },
    required: ['tags'],
    additionalProperties: false,
  })
})
