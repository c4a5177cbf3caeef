import { type Config, interpolate } from '@wayleave/gateway'
import { type AnyMember, type AnySchema, type IssuePath, printPath } from '@wayleave/jsonrpc-core/schema'
import { expect, it } from 'vitest'
import { configIssues } from '../../src/config/check.ts'
import { configSchema } from '../../src/config/config.ts'
import { configWarnings } from '../../src/config/warnings.ts'
import { everySetting } from './every-setting.ts'

const schemaOf = (member: AnyMember): AnySchema => ('optional' in member ? member.optional : member)

/** All settings of a schema: `projects[].keys[].secret`, `plans.<name>.perDay`. */
function settingsOf(schema: AnySchema, at = ''): readonly string[] {
  const { parts } = schema
  const own = at === '' ? [] : [at]
  if (parts?.kind === 'array') return [...own, ...settingsOf(parts.item, `${at}[]`)]
  if (parts?.kind === 'record') return [...own, ...settingsOf(parts.item, `${at}.<name>`)]
  if (parts?.kind === 'choice') return [...own, ...parts.shapes.flatMap((shape) => settingsOf(shape, at))]
  if (parts?.kind !== 'object') return own
  return [
    ...own,
    ...parts.members.flatMap(([name, member]) => settingsOf(schemaOf(member), at === '' ? name : `${at}.${name}`)),
  ]
}

interface Place {
  readonly setting: string
  readonly path: IssuePath
  readonly value: unknown
  /** Whether its name is one of the schema, and not of the operator. */
  readonly isNamed: boolean
}

/** All settings of a value, which fits the schema. */
function placesOf(
  schema: AnySchema,
  value: unknown,
  setting = '',
  path: IssuePath = [],
  isNamed = true,
): readonly Place[] {
  const { parts } = schema
  if (parts?.kind === 'choice') return placesOf(parts.choose(value) as AnySchema, value, setting, path, isNamed)
  const own: readonly Place[] = setting === '' ? [] : [{ setting, path, value, isNamed }]
  if (parts?.kind === 'array')
    return [
      ...own,
      ...(value as readonly unknown[]).flatMap((item, i) =>
        placesOf(parts.item, item, `${setting}[]`, [...path, i], false),
      ),
    ]
  if (parts?.kind === 'record')
    return [
      ...own,
      ...Object.entries(value as object).flatMap(([name, item]) =>
        placesOf(parts.item, item, `${setting}.<name>`, [...path, name], false),
      ),
    ]
  if (parts?.kind !== 'object') return own
  return [
    ...own,
    ...parts.members.flatMap(([name, member]) => {
      const inner = (value as Readonly<Record<string, unknown>>)[name]
      if (inner === undefined) return []
      return placesOf(schemaOf(member), inner, setting === '' ? name : `${setting}.${name}`, [...path, name])
    }),
  ]
}

/** Copies a value with another one at a path; `rename` gives the member another name in its place. */
function changed(value: unknown, [step, ...rest]: IssuePath, by: unknown, rename?: string): unknown {
  if (step === undefined) return by
  if (Array.isArray(value))
    return value.map((item: unknown, i) => (i === step ? changed(item, rest, by, rename) : item))
  const isLast = rest.length === 0
  return Object.fromEntries(
    Object.entries(value as object).map(([name, member]): [string, unknown] => {
      if (name !== step) return [name, member]
      return isLast && rename !== undefined ? [rename, member] : [name, changed(member, rest, by, rename)]
    }),
  )
}

/** The places that are refused or warned of. */
function reportedOf(written: unknown): readonly string[] {
  const { value, issues } = interpolate(written, { EMPTY: '', BLANK: ' \t' })
  const found = [...issues, ...configIssues(value, written)]
  const all = found.length > 0 ? found : configWarnings(value as Config)
  return all.map(({ path, expected }) => `${printPath(path)}: ${expected}`)
}

/** The values of a template that renders nothing in place of a value. */
function emptiesOf(value: unknown): readonly unknown[] {
  if (Array.isArray(value)) return [null, [], ['']]
  if (typeof value === 'object') return [null, {}]
  return [null, '', ' ', '${EMPTY}', '${BLANK}']
}

const samples = everySetting.map((sample) => ({
  sample,
  places: placesOf(configSchema, sample),
  before: reportedOf(sample),
}))

it('tries each setting of the schema', () => {
  const tried = new Set(samples.flatMap(({ places }) => places.map(({ setting }) => setting)))
  expect([...new Set(settingsOf(configSchema))].filter((setting) => !tried.has(setting))).toEqual([])
  for (const { sample, before } of samples) expect(configIssues(sample), before.join('\n')).toEqual([])
})

/** Empty lists that let nobody in, or add nobody, and params of nodes, which may be anything: that weakens no default. */
const harmless = new Set([
  'networks.<name>.chain.params [""]',
  'networks.<name>.chain.params []',
  'networks.<name>.chain.params[] " "',
  'networks.<name>.chain.params[] ""',
  'networks.<name>.chain.params[] null',
  'admin.tokens[].scopes []',
  'admin.hosts []',
  'networks.<name>.upstreams[].groups []',
  'bareHosts []',
  'trustedProxies []',
  'ipfs.gateways []',
  'projects []',
  'projects[].keys []',
  'projects[].networks []',
])

it('refuses or tells each setting that a template renders as nothing, or whose name is misspelt', () => {
  const silent = samples.flatMap(({ sample, places, before }) => {
    const isReported = (config: unknown, at: string): boolean =>
      reportedOf(config).some((line) => {
        const place = line.slice(0, line.indexOf(': '))
        return !before.includes(line) && (place.startsWith(around(at)) || at.startsWith(place))
      })
    return places.flatMap(({ setting, path, value, isNamed }) => {
      const empties = emptiesOf(value).map((empty) => [JSON.stringify(empty), changed(sample, path, empty)] as const)
      const misspelt = [`as ${String(path.at(-1))}x`, changed(sample, path, value, `${String(path.at(-1))}x`)] as const
      return [...empties, ...(isNamed ? [misspelt] : [])]
        .filter(([, config]) => !isReported(config, printPath(path)))
        .map(([what]) => `${setting} ${what}`)
    })
  })
  expect([...new Set(silent)].toSorted()).toEqual([...harmless].toSorted())
})

/** The member around one, where a fault between neighbours is told. */
function around(path: string): string {
  return path.replace(/\.?[^.]*$/, '')
}
