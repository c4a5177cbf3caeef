import {
  type AnySchema,
  array,
  assertValid,
  boolean,
  choice,
  integer,
  type Issue,
  issues,
  nonEmptyArray,
  nullable,
  object,
  optional,
  printPath,
  record,
  type Schema,
  secret,
  shown,
  text,
  tuple,
} from '@wayleave/jsonrpc-core/schema'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'

interface Node {
  readonly url: string
  readonly weight?: number
}
interface Settings {
  readonly name: string
  readonly nodes: readonly (string | Node)[]
  readonly hosts?: Readonly<Record<string, boolean>>
  readonly range?: readonly [from: number, to?: number | null]
}

const url = text<string>('a URL', /^https?:/)
const node = object<Node>('{ url }', { url, weight: optional(integer('a weight', 1)) }, { closed: true })
const urlOrNode = choice<string | Node>('a URL or { url }', (value) => (typeof value === 'string' ? url : node), [
  url,
  node,
])
const settings = object<Settings>(
  'settings',
  {
    name: text('a name', /^[a-z]+$/),
    nodes: nonEmptyArray(urlOrNode),
    hosts: optional(record(boolean, text('a host', /^[a-z.]+$/))),
    range: optional(tuple<NonNullable<Settings['range']>>(integer('a start'), optional(nullable(integer('an end'))))),
  },
  { closed: { redis: 'no redis: use a file' } },
)

const reported = (found: readonly Issue[]): string[] =>
  found.map(({ path, expected, received }) => `${printPath(path)}: ${expected}, not ${received}`)

describe('all issues', () => {
  it('are none of a right value', () => {
    expect(issues(settings, { name: 'a', nodes: ['http://a', { url: 'http://b' }], range: [1, null] })).toEqual([])
  })

  it('come in the order of the members, unknown ones first', () => {
    const value = {
      nodes: ['ftp://a', { url: 1, weight: 0, more: 1 }, null],
      hosts: { 'a.b': true, 'A b': 'yes' },
      range: ['1', '2', 3],
      redis: {},
      constructor: 1,
    }
    expect(reported(issues(settings, value))).toEqual([
      'redis: no redis: use a file, not one',
      'constructor: one of: name, nodes, hosts, range, not an unknown member',
      'name: a name, not nothing',
      'nodes[0]: a URL, not "ftp://a"',
      'nodes[1].more: one of: url, weight, not an unknown member',
      'nodes[1].url: a URL, not 1',
      'nodes[1].weight: a weight, not 0',
      'nodes[2]: { url }, not null',
      'hosts["A b"]: a host, not another name',
      'hosts["A b"]: true or false, not "yes"',
      'range: at most 2 elements, not 3',
      'range[0]: a start, not "1"',
      'range[1]: an end, not "2"',
    ])
  })

  it('have the steps of their path', () => {
    const [issue] = issues(settings, { name: 'a', nodes: ['http://a', { url: 'b c' }] })
    expect(issue).toEqual({ path: ['nodes', 1, 'url'], expected: 'a URL', received: '"b c"' })
  })

  it.each([
    [[], ': settings, not an array of 0'],
    [{ name: 'a', nodes: [] }, 'nodes: at least 1: a URL or { url }, not an empty array'],
    [{ name: 'a', nodes: {} }, 'nodes: an array, each a URL or { url }, not an object'],
  ])('of %j are one', (value, line) => {
    expect(reported(issues(settings, value))).toEqual([line])
  })

  it('of a schema without parts are its own, at the place that it names', () => {
    const own: AnySchema = {
      expected: 'a thing',
      check: (_, path) => ({ path: `${path}.a[2]["b c"][""]`, expected: 'a part', received: 'another' }),
    }
    expect(issues(record(own as Schema<unknown>), { it: 1 })).toEqual([
      { path: ['it', 'a', 2, 'b c', ''], expected: 'a part', received: 'another' },
    ])
  })

  it('of a schema that narrows another one are those of both', () => {
    const narrow: Schema<Settings> = {
      ...settings,
      check: (value, path) =>
        settings.check(value, path) ??
        ((value as Settings).name === 'root'
          ? { path: `${path}.name`, expected: 'no root', received: 'one' }
          : undefined),
    }
    expect(reported(issues(narrow, { name: 'root', nodes: ['http://a'] }))).toEqual(['name: no root, not one'])
    expect(reported(issues(narrow, { name: 'root', nodes: [1] }))).toEqual(['nodes[0]: { url }, not 1'])
    expect(reported(issues(secret(narrow), { name: 'root', nodes: ['http://a'] }))).toEqual([
      'name: no root, not an object',
    ])
    const never: Schema<string | null> = {
      ...nullable(url),
      check: (_, path) => ({ path, expected: 'nothing of this kind', received: 'one' }),
    }
    expect(reported(issues(never, null))).toEqual([': nothing of this kind, not one'])
  })
})

/** Values that are right, nearly right or anything. */
const anySettings = fc.letrec((tie) => ({
  leaf: fc.oneof(fc.constantFrom('http://a', 'a', 'A b', 'S3CR3T', '', 0, 1, -1, true, null, undefined), fc.anything()),
  node: fc.record({ url: tie('leaf'), weight: tie('leaf'), more: tie('leaf') }, { requiredKeys: [] }),
  any: fc.oneof(
    tie('leaf'),
    fc.record(
      {
        name: tie('leaf'),
        nodes: fc.oneof(tie('leaf'), fc.array(fc.oneof(tie('leaf'), tie('node')))),
        hosts: fc.oneof(tie('leaf'), fc.dictionary(fc.string(), tie('leaf'))),
        range: fc.oneof(tie('leaf'), fc.array(tie('leaf'), { maxLength: 4 })),
        redis: tie('leaf'),
        ['a b']: tie('leaf'),
      },
      { requiredKeys: [] },
    ),
  ),
})).any

describe('a secret', () => {
  const login = secret(
    object<{ readonly user: string; readonly keys: readonly string[]; readonly port?: number }>('a login', {
      user: shown(text('a user', /^[a-z]+$/)),
      keys: nonEmptyArray(text('a key of 8 letters', /^[a-z]{8}$/)),
      port: optional(integer('a port')),
    }),
  )
  const service = object<{ readonly login: object }>('a service', { login: login as Schema<object> })

  it.each([
    [
      { user: 'a', keys: ['S3CR3T', 5, true, 10n, null, ['S3CR3T'], {}] },
      [
        'login.keys[0]: a key of 8 letters, not another value',
        'login.keys[1]: a key of 8 letters, not another value',
        'login.keys[2]: a key of 8 letters, not another value',
        'login.keys[3]: a key of 8 letters, not another value',
        'login.keys[4]: a key of 8 letters, not null',
        'login.keys[5]: a key of 8 letters, not an array of 1',
        'login.keys[6]: a key of 8 letters, not an object',
      ],
    ],
    [{ user: 'a', keys: 'S3CR3T' }, ['login.keys: an array, each a key of 8 letters, not another value']],
    [{ user: 'a', keys: [] }, ['login.keys: at least 1: a key of 8 letters, not an empty array']],
    ['S3CR3T', ['login: a login, not another value']],
    [undefined, ['login: a login, not nothing']],
    [
      { user: 'B', keys: ['abcdefgh'], port: 'S3CR3T' },
      ['login.user: a user, not "B"', 'login.port: a port, not another value'],
    ],
  ])('%# is hidden with all its parts, but for those that are shown', (value, lines) => {
    expect(reported(issues(service, { login: value }))).toEqual(lines)
    expect(() => assertValid(service, { login: value }, 'it')).toThrowError(
      `it.${lines[0]!.replace(/^([^:]*): /, '$1: expected ').replace(/, not (.*)$/, ', got $1')}`,
    )
  })

  it('is hidden by the mark that stands nearest, through choices and null', () => {
    const key = text('a key', /^k+$/)
    const either = choice<string | null>('a key or none', (value) => (value === 'none' ? shown(key) : nullable(key)))
    expect(reported(issues(secret(either), 'S3CR3T'))).toEqual([': a key, not another value'])
    expect(reported(issues(secret(either), 'none'))).toEqual([': a key, not "none"'])
    expect(reported(issues(shown(secret(key)), 'S3CR3T'))).toEqual([': a key, not another value'])
    expect(reported(issues(secret(shown(key)), 'S3CR3T'))).toEqual([': a key, not another value'])
  })

  it('does not come out by the words of a schema without parts', () => {
    const own: Schema<object> = {
      expected: 'a thing',
      check: (value, path) => ({ path: `${path}.a`, expected: 'a part', received: JSON.stringify(value) }),
    }
    expect(reported(issues(secret(own), { a: 'S3CR3T' }))).toEqual(['a: a part, not an object'])
    expect(secret(own).check({ a: 'S3CR3T' }, 'it')).toEqual({
      path: 'it.a',
      expected: 'a part',
      received: 'an object',
    })
  })

  it('law: no issue holds it, wherever it stands', () => {
    const hide = (tree: unknown): unknown =>
      typeof tree === 'string' || typeof tree === 'number'
        ? 'S3CR3T'
        : Array.isArray(tree)
          ? tree.map(hide)
          : typeof tree === 'object' && tree !== null
            ? Object.fromEntries(Object.entries(tree).map(([name, member]) => [name, hide(member)]))
            : tree
    fc.assert(
      fc.property(anySettings, (tree) => {
        for (const { received } of issues(secret(settings), hide(tree))) expect(received).not.toContain('S3CR3T')
      }),
    )
  })
})

const mixed = object<{ readonly open: Settings; readonly closed?: Node }>('both', {
  open: settings,
  closed: optional(secret(object<Node>('{ url }', { url, weight: optional(shown(integer('a weight', 1))) }))),
})

describe('law', () => {
  it.each<[string, AnySchema]>([
    ['an open schema', settings],
    ['a secret one', secret(settings)],
    ['one inside a list', array(settings)],
    ['one that is partly secret', mixed],
  ])('the first issue of %s is the one that check reports', (_, schema) => {
    fc.assert(
      fc.property(
        fc.oneof(anySettings, fc.array(anySettings), fc.record({ open: anySettings, closed: anySettings })),
        (input) => {
          const [first] = issues(schema, input)
          const checked = schema.check(input, '')
          expect(first && { ...first, path: printPath(first.path) }).toEqual(
            checked && { ...checked, path: checked.path.replace(/^\./, '') },
          )
        },
      ),
    )
  })
})
