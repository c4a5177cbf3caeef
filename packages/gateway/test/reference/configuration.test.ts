import { readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { restartMembers } from '../../src/config/restart-members.ts'
import { editorSchema } from '../config/editor-schema/editor-schema.ts'

interface Node {
  readonly description?: string
  readonly properties?: Readonly<Record<string, Node>>
  readonly additionalProperties?: Node | boolean
  readonly items?: Node
  readonly anyOf?: readonly Node[]
  readonly required?: readonly string[]
}

interface Member {
  readonly path: string
  readonly description: string
  readonly isRequired: boolean
}

/** Lists the members below a schema. A member of several kinds of one object is told once. */
function membersOf(node: Node, path: string): readonly Member[] {
  const { properties = {}, additionalProperties, items, anyOf = [], required = [] } = node
  const own = Object.entries(properties).flatMap(([name, inner]) => {
    const at = path === '' ? name : `${path}.${name}`
    return [{ path: at, description: inner.description!, isRequired: required.includes(name) }, ...membersOf(inner, at)]
  })
  const named = typeof additionalProperties === 'object' ? membersOf(additionalProperties, `${path}.<name>`) : []
  const all = [
    ...own,
    ...named,
    ...(items === undefined ? [] : membersOf(items, `${path}[]`)),
    ...anyOf.flatMap((inner) => membersOf(inner, path)),
  ]
  const seen = new Set<string>()
  return all.filter(({ path: at }) => !seen.has(at) && seen.add(at))
}

const members = membersOf(JSON.parse(editorSchema()) as Node, '').filter(({ path }) => path !== '$schema')

it('docs/configuration.md tells every member of the configuration; vitest -u writes it', async () => {
  const escaped = (text: string): string => text.replaceAll('|', String.raw`\|`)
  const needsRestart = (path: string): boolean =>
    restartMembers.some((member) => path === member || path.startsWith(`${member}.`))
  const rows = members.map(({ path, description, isRequired }) => {
    const notes = [isRequired ? 'required' : '', needsRestart(path) ? 'restart' : ''].filter(Boolean).join(', ')
    return `| \`${path}\` | ${escaped(description.replaceAll('\n', ' '))} | ${notes} |`
  })
  const text = `# Configuration

Every member of a configuration file. \`[]\` is an entry of a list, \`<name>\` a name of yours. A reload changes all but what needs a \`restart\`.
The [README of the gateway](../packages/gateway/README.md#configuration) has more. This page is made from the schema; its test compares.

| member | meaning | |
| --- | --- | --- |
${rows.join('\n')}
`
  await expect(text).toMatchFileSnapshot('../../../../docs/configuration.md')
})

it('the README of the gateway names every member, too', () => {
  const readme = readFileSync(new URL('../../README.md', import.meta.url), 'utf8')
  const code = [...readme.matchAll(/`[^`\n]+`|```[\s\S]*?```/g)].map(([text]) => text).join(' ')
  const words = new Set(code.match(/[A-Za-z]\w*/g))
  expect(members.length).toBeGreaterThan(150)
  expect(
    members
      .filter(
        ({ path }) =>
          !words.has(
            path
              .split('.')
              .at(-1)!
              .replaceAll(/[[\]<>]/g, ''),
          ),
      )
      .map(({ path }) => path),
  ).toEqual([])
})
