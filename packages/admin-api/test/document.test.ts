import { expect, it } from 'vitest'
import { type Loose, openFixture } from './support/fixture.ts'

it('the document names each operation once, declares what its paths have, and refers to nothing that is not there', async () => {
  await using fixture = await openFixture()
  const { document } = fixture.api
  expect(JSON.parse(JSON.stringify(document))).toEqual(document)
  expect((await fixture.ask('GET /openapi.json', {})).body).toEqual(document)
  const operations = Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ path, method, operation })),
  )
  const ids = operations.map(({ operation }) => operation.operationId)
  expect(new Set(ids).size).toBe(ids.length)
  for (const { path, method, operation } of operations) {
    const declared = (operation.parameters ?? []) as readonly { in: string; name: string; required: boolean }[]
    const inPath = declared.filter((parameter) => parameter.in === 'path')
    expect(inPath.map(({ name }) => `{${name}}`)).toEqual(path.match(/\{\w+\}/g) ?? [])
    expect(inPath.every(({ required }) => required)).toBe(true)
    const statuses = Object.keys(operation.responses)
    expect(statuses).toEqual(expect.arrayContaining(['401', '403', '404', '405', '422', '500', '503']))
    expect(statuses.filter((status) => status < '300').length).toBe(1)
    expect([method, statuses.includes('413')]).toEqual([method, operation.requestBody !== undefined])
  }
  const refs = JSON.stringify(document).matchAll(/"\$ref":"#\/components\/schemas\/([^"]+)"/g)
  const names = new Set(Array.from(refs, ([, name]) => name))
  expect(names).toEqual(new Set(Object.keys(document.components.schemas)))
})

it('the document tells bounds, forms and defaults of what may be asked', async () => {
  await using fixture = await openFixture()
  const { components, paths } = fixture.api.document
  const { NewProject, Rules } = components.schemas as Record<string, Loose>
  expect(NewProject).toMatchObject({ required: ['name'], additionalProperties: false })
  expect(NewProject.properties.limits).toEqual({ $ref: '#/components/schemas/Limits' })
  expect(Rules.properties.methods.maxItems).toBe(30)
  const parameters = paths['/usage']!['get']!.parameters as readonly Loose[]
  expect(parameters.find(({ name }) => name === 'limit').schema).toMatchObject({ minimum: 1, maximum: 10_000 })
  expect(parameters.find(({ name }) => name === 'by').schema.items.enum).toContain('method')
})
