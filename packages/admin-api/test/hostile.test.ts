import { describe, expect, it } from 'vitest'
import { maxAdminBody } from '@wayleave/admin-api'
import { openFixture, tokenOf } from './support/fixture.ts'

describe('a body', () => {
  it.each([
    ['no JSON', '{'],
    ['JSON and more', '{}{}'],
    ['a comment', '{/**/}'],
    ['NaN', '{"expiresAt":NaN}'],
    ['a byte order mark', '\u{feff}{}'],
    ['a doubled member', '{"id":"a","id":"b"}'],
    ['a doubled member, once escaped', String.raw`{"id":"a","\u0069d":"b"}`],
    ['a doubled member deep inside', '{"limits":{"methods":{"a":{"perDay":{"credits":1, "credits" : 2}}}}}'],
    ['a doubled member after a string of braces', String.raw`{"label":"}\"{[","id":"a","id":"b"}`],
    ['33 levels', '['.repeat(33) + ']'.repeat(33)],
    ['half a million levels', '['.repeat(500_000)],
    ['half a million levels that end', '['.repeat(500_000) + ']'.repeat(500_000)],
    ['bytes that are not UTF-8', new Uint8Array([0x7b, 0x22, 0xff, 0x22, 0x3a, 0x31, 0x7d])],
    ['a surrogate in UTF-8', new Uint8Array([0x22, 0xed, 0xa0, 0x80, 0x22])],
  ])('with %s is 400', async (_, raw) => {
    await using fixture = await openFixture()
    const { status, body } = await fixture.ask('POST /projects', { raw })
    expect([status, body.code]).toEqual([400, 'invalid_json'])
  })

  it('may have a name in several objects, and long strings of escapes', async () => {
    await using fixture = await openFixture()
    const { ask } = fixture
    const rules = '{"perDay":{"credits":1}}'
    const raw = `{"limits":{"methods":{"a":${rules},"b":${rules}}},"name":"perDay"}`
    expect((await ask('PUT /plans/p', { raw })).status).toBe(200)
    const long = `{"name":"${String.raw`\\\"`.repeat(250_000)}"}`
    expect((await ask('POST /projects', { raw: long })).body.issues).toMatchObject([{ path: 'name' }])
    expect(fixture.failures).toEqual([])
  })

  it('beyond 1 MiB is 413, and one of 1 MiB is read', async () => {
    await using fixture = await openFixture()
    const padded = (size: number): string => `{}${' '.repeat(size - 2)}`
    expect((await fixture.ask('POST /projects', { raw: padded(maxAdminBody) })).status).toBe(422)
    expect((await fixture.ask('POST /projects', { raw: padded(maxAdminBody + 1) })).status).toBe(413)
  })

  it.each([
    'text/plain',
    'application/x-www-form-urlencoded',
    'application/jsonp',
    'application/json-patch+json',
    undefined,
  ])('of type %s is 415', async (type) => {
    await using fixture = await openFixture()
    const headers = { 'content-type': type }
    expect((await fixture.ask('POST /projects', { raw: '{}', headers })).status).toBe(415)
  })

  it('that is compressed is 415, and one with a charset is read', async () => {
    await using fixture = await openFixture()
    const { ask } = fixture
    expect((await ask('POST /projects', { raw: '{}', headers: { 'content-encoding': 'gzip' } })).status).toBe(415)
    const headers = { 'content-type': 'Application/JSON; charset=utf-8' }
    expect((await ask('POST /projects', { raw: '{"name":"A"}', headers })).status).toBe(201)
  })

  it('is told all that is wrong with it, with the places and none of the values', async () => {
    await using fixture = await openFixture()
    const secret = 'wl_0123456789012345678901234567'
    const { status, body, text } = await fixture.ask('POST /projects', {
      body: {
        id: `${secret}/..`,
        name: 7,
        extra: 1,
        [secret]: secret,
        rules: { methods: ['eth_call', `${secret} `], sources: ['10.0.0.0/33'], origins: ['https://a/b'], other: [] },
        limits: { perSecond: { credits: 0 }, perDay: { credits: -1, marks: [101] }, methods: { 'a b': {} } },
        networks: Array.from({ length: 201 }, () => 'a'),
      },
    })
    expect(status).toBe(422)
    expect(body.issues.map(({ path }: { path: string }) => path).toSorted()).toEqual(
      [
        'extra',
        'id',
        'limits.methods["a b"]',
        'limits.perDay.credits',
        'limits.perDay.marks[0]',
        'limits.perSecond.credits',
        'name',
        'networks',
        'rules.methods[1]',
        'rules.origins[0]',
        'rules.other',
        'rules.sources[0]',
        '…',
      ].toSorted(),
    )
    expect(text).not.toContain(secret)
  })

  it.each([
    ['an array', []],
    ['a text', 'name'],
    ['null', null],
    ['a number', 1],
    ['a prototype', JSON.parse('{"name":"A","__proto__":{"disabled":true}}')],
    ['a constructor', { name: 'A', constructor: {} }],
    ['toString', { name: 'A', toString: 1 }],
    ['a flag that is a text', { name: 'A', disabled: 'true' }],
    ['a directive of a prototype', JSON.parse('{"name":"A","directives":{"__proto__":"x"}}')],
    ['a directive that there is not', { name: 'A', directives: { nonsense: 'x' } }],
    ['a directive in another case', { name: 'A', directives: { Marks: 'inline' } }],
    ['a directive with a value that means nothing', { name: 'A', directives: { marks: 'Inline' } }],
    ['a directive that is a number', { name: 'A', directives: { marks: 3 } }],
    [
      '31 directives',
      { name: 'A', directives: Object.fromEntries(Array.from({ length: 31 }, (_, i) => [`d${i}`, ''])) },
    ],
    ['a limit of a prototype', JSON.parse('{"name":"A","limits":{"methods":{"__proto__":{}}}}')],
    ['a limit of 1e999', JSON.parse('{"name":"A","limits":{"perDay":{"credits":1e999}}}')],
    ['a limit of 2^53', { name: 'A', limits: { perDay: { credits: 2 ** 53 } } }],
    ['a fraction', { name: 'A', limits: { perDay: { credits: 0.5 } } }],
    ['a lone surrogate', JSON.parse(String.raw`{"name":"\ud800"}`)],
    ['a NUL', { name: 'A\u0000' }],
    ['a name of 257', { name: 'A'.repeat(257) }],
    ['an id that is a path', { name: 'A', id: '../projects' }],
    ['an id of dots', { name: 'A', id: '..' }],
    ['an id of a prototype', { name: 'A', id: '__proto__' }],
    ['31 methods', { name: 'A', rules: { methods: Array.from({ length: 31 }, () => 'eth_call') } }],
  ])('that is or has %s is 422, and changes nothing', async (_, body) => {
    await using fixture = await openFixture()
    const { status } = await fixture.ask('POST /projects', { body })
    expect(status).toBe(422)
    expect((await fixture.stores.accounts.snapshot()).projects).toEqual([])
    expect(fixture.failures).toEqual([])
  })

  it('with names of other alphabets, emoji and quotes comes back as it was', async () => {
    await using fixture = await openFixture()
    for (const name of ['Ünïcödé', '商店', '👩‍👩‍👧', `"'\\</script>`, 'constructor', '__proto__']) {
      expect((await fixture.ask('POST /projects', { body: { name } })).body.name).toBe(name)
    }
  })
})

describe('a path', () => {
  it.each([
    '/admin/v1',
    '/admin/v1/',
    '/admin/v1/projects/',
    '/admin/v1//projects',
    '/admin/v1/projects/..',
    '/admin/v1/projects/%2e%2e',
    '/admin/v1/projects/a%2fkeys',
    '/admin/v1/projects/%',
    '/admin/v1/projects/%ff',
    '/admin/v1/projects/%00',
    `/admin/v1/projects/${'a'.repeat(300)}`,
    '/admin/v1/projects/../projects',
    '/admin/v2/projects',
    '/Admin/v1/projects',
    '/admin/v1/__proto__',
    '/admin/v1/constructor',
    '*',
    '',
  ])('%s is 404', async (path) => {
    await using fixture = await openFixture()
    const response = await fixture.api.handle({
      method: 'GET',
      path,
      headers: { authorization: `Bearer ${tokenOf('all')}` },
    })
    expect(response.status).toBe(404)
  })

  it('with the name of a prototype, or a digest, for an id is 404, and repeats no digest', async () => {
    await using fixture = await openFixture()
    for (const id of ['__proto__', 'constructor', 'toString', 'a'.repeat(64)]) {
      for (const what of [`GET /projects/${id}`, `GET /projects/fixed/keys/${id}`, `DELETE /projects/${id}`]) {
        const { status, text } = await fixture.ask(what)
        expect([what, status]).toEqual([what, 404])
        expect(text).not.toContain('a'.repeat(64))
      }
    }
  })

  it('with another method is 405, with those there are', async () => {
    await using fixture = await openFixture()
    const { ask } = fixture
    const authorization = `Bearer ${tokenOf('all')}`
    for (const method of ['PUT', 'OPTIONS', 'get', 'TRACE', '']) {
      const { status, headers } = await fixture.api.handle({
        method,
        path: '/admin/v1/projects',
        headers: { authorization },
      })
      expect([method, status, headers['allow']]).toEqual([method, 405, 'GET, POST'])
    }
    expect(await ask('HEAD /projects')).toMatchObject({ status: 200, text: '' })
    expect(await ask('HEAD /apply')).toMatchObject({ status: 405, text: '' })
  })
})

describe('a query', () => {
  it.each([
    ['GET /projects?limit=0', 'query.limit'],
    ['GET /projects?limit=1001', 'query.limit'],
    ['GET /projects?limit=1e3', 'query.limit'],
    ['GET /projects?limit=99999999999999999999', 'query.limit'],
    ['GET /projects?limit=', 'query.limit'],
    ['GET /projects?limit=1&limit=2', 'query.limit'],
    ['GET /projects?after=x', 'query.after'],
    ['GET /projects?after=c%3A%27%20or%201%3D1', 'query.after'],
    ['GET /projects?__proto__=1', 'query.__proto__'],
    ['GET /projects?other=1', 'query.other'],
    ['GET /audit?after=-1', 'query.after'],
    ['GET /audit?after=1e9', 'query.after'],
    ['GET /audit?project=%27', 'query.project'],
    ['GET /usage?by=method,calls', 'query.by[1]'],
    ['GET /usage?by=', 'query.by[0]'],
    ['GET /usage?period=week', 'query.period'],
    ['GET /usage?from=2&to=1', 'query.from'],
    ['GET /usage?from=-1', 'query.from'],
    ['GET /usage?limit=10001', 'query.limit'],
  ])('%s is 422, and tells of %s', async (what, path) => {
    await using fixture = await openFixture()
    const { status, body } = await fixture.ask(what)
    expect([status, body.issues.map((issue: { path: string }) => issue.path)]).toEqual([422, [path]])
  })

  it('of usage goes from the start of a period, and tells whether that was all', async () => {
    await using fixture = await openFixture()
    const { ask, stores, clock } = fixture
    const minute = Math.floor(clock.now / 60_000)
    const rest = { project: 'p', key: 'k', network: 'n', status: '2xx', calls: 1, credits: 2 }
    await stores.usage.add('x', 1, [
      { ...rest, minute, method: 'a' },
      { ...rest, minute, method: '7' },
      { ...rest, minute: minute - 90, method: 'b' },
    ])
    const [from, to] = [clock.now - 3_600_000 * 2, clock.now + 1]
    const hour = 3_600_000
    const all = (await ask(`GET /usage?from=${from}&to=${to}&by=method,at,method`)).body
    expect(all).toMatchObject({ period: 'hour', from: from - (from % hour), to, complete: true })
    expect(all.items.map(({ method, at }: { method: string; at: number }) => [method, at % hour])).toEqual([
      ['7', 0],
      ['a', 0],
      ['b', 0],
    ])
    expect((await ask('GET /usage?by=method&limit=2')).body).toMatchObject({ complete: false, items: [{}, {}] })
    expect((await ask('GET /usage?by=method&limit=3')).body.complete).toBe(true)
    // A name of digits alone is a name.
    expect((await ask('GET /usage?method=7')).body.items).toEqual([{ calls: 1, credits: 2 }])
  })
})
