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
  expect(members.length).toBeGreaterThan(150)
  const rows = members.map(({ path, description, isRequired }) => {
    const notes = [isRequired ? 'required' : '', needsRestart(path) ? 'restart' : ''].filter(Boolean).join(', ')
    return `| \`${path}\` | ${escaped(description.replaceAll('\n', ' '))} | ${notes} |`
  })
  const text = `# Configuration

Every member of a configuration file: YAML, JSON or a program (TypeScript from Node 22.18 on, JavaScript), by the file's name. This page is made from the schema; its test compares.

- \`[]\` is an entry of a list, \`<name>\` a name of yours; that of a network has lower-case letters, digits and \`-\`. A reload changes all but what needs a \`restart\`.
- \`\${NAME}\` in any text is an environment variable that must be set and not blank; \`\${file:PATH}\` is the text of a file, relative to the configuration's folder,
  of 1 to 65,536 bytes and without one line break at its end; any other \`\${\` is an error.
- Unknown members are refused, but for \`$schema\` of the whole, which editors read. All faults are reported at once, without possible secrets.
- \`wayleave config check\` warns of valid but unlikely settings: a known slug with another chain id, no WebSocket upstream (EVM), a method that is nearly a known one, a plan without limits, a price of 0 for \`*\`,
  a rollup without \`rollupNode\`, \`proven\` with one upstream, a key under 16 characters, \`trustedProxies\` wider than any private network (\`0.0.0.0/0\`), quotas without a store that keeps them, a method that
  no upstream may be asked for, a network where a project's groups have no upstream.

Pages with more: [networks](networks.md), [verification and consensus](verification.md), [access, plans and limits](access-and-limits.md), [the cache](cache.md), [gas and IPFS](gas-and-ipfs.md),
[workers and replicas](workers-and-replicas.md), [the admin listener](admin.md), [monitoring](monitoring.md).

| member | meaning | |
| --- | --- | --- |
${rows.join('\n')}
`
  await expect(text).toMatchFileSnapshot('../../../../docs/configuration.md')
})
