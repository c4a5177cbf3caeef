import { type IssuePath, printPath } from '@wayleave/jsonrpc-core/schema'
import { isObject, type Members, namedUpstream, type NetworkConfig } from '@wayleave/network/config'
import { namedProjects } from './accounts.ts'
import type { ConfigProblem } from './check.ts'
import type { Config } from './config.ts'
import { restartMembers } from './restart-members.ts'
import { defaultListen } from './listen-config.ts'

/** One difference between two configurations, without any value that may be secret. */
export interface ConfigChange {
  /** `networks.mainnet.upstreams[1].url`; an index counts in the later configuration, or in the earlier one if the entry is removed. */
  readonly path: string
  readonly kind: 'added' | 'removed' | 'changed'
  /** A sentence for a person, such as `limits.maxBatch: 1000 becomes 500`. */
  readonly text: string
}

/** The names of entries that only the later configuration has, only the earlier one, or both, with other members. */
export interface NameDiff {
  readonly added: readonly string[]
  readonly removed: readonly string[]
  readonly changed: readonly string[]
}

/** The differences between two configurations. */
export interface ConfigDiff {
  readonly changes: readonly ConfigChange[]
  /** By slug. */
  readonly networks: NameDiff
  /** By id. */
  readonly projects: NameDiff
  /** Changes that only a restart can make. */
  readonly needsRestart: readonly ConfigChange[]
}

/** The outcome of a reload. */
export interface ReloadReport {
  readonly diff: ConfigDiff
  /** Whether the new configuration serves: all of it, or nothing. */
  readonly applied: boolean
  /** Reasons why it does not. */
  readonly problems: readonly ConfigProblem[]
}

/** The outcome of comparing a configuration with itself. */
export const noDiff: ConfigDiff = {
  changes: [],
  networks: { added: [], removed: [], changed: [] },
  projects: { added: [], removed: [], changed: [] },
  needsRestart: [],
}

/**
 * Compares two checked configurations by their meaning: upstreams by name, projects by id, keys by their text; a default that is
 * written down is no difference. A function (`policy`) is the same only if it is the same object.
 */
export function diffConfig(before: Config, after: Config): ConfigDiff {
  const changes: ConfigChange[] = []
  compare(normalized(before), normalized(after), [], changes)
  // Two networks of one chain share its gas API, which the first of them serves.
  if (isMoved(Object.keys(before.networks), Object.keys(after.networks))) {
    note(changes, ['networks'], 'changed', 'stands in another order')
  }
  return {
    changes,
    networks: diffNames(normalNetworks(before), normalNetworks(after)),
    projects: diffNames(projectsById(before), projectsById(after)),
    needsRestart: changes.filter(({ path }) => needsRestart(path)),
  }
}

function needsRestart(path: string): boolean {
  return path === 'listen.tls' || restartMembers.some((member) => isWithin(path, member))
}

function isWithin(path: string, member: string): boolean {
  return path === member || path.startsWith(`${member}.`) || path.startsWith(`${member}[`)
}

/** Writes down the defaults that can be written in two ways. */
function normalized(config: Config): Members {
  return { ...config, listen: { ...defaultListen, ...config.listen }, networks: normalNetworks(config) }
}

function normalNetworks({ networks }: Config): Readonly<Record<string, unknown>> {
  return Object.fromEntries(
    Object.entries(networks).map(([slug, network]: [string, NetworkConfig]) => [
      slug,
      { ...network, upstreams: network.upstreams.map(namedUpstream) },
    ]),
  )
}

function projectsById(config: Config): Readonly<Record<string, unknown>> {
  return Object.fromEntries(namedProjects(config).map((project) => [project.id, project]))
}

function diffNames(before: Members, after: Members): NameDiff {
  const [had, has] = [Object.keys(before), Object.keys(after)]
  return {
    added: has.filter((name) => !Object.hasOwn(before, name)),
    removed: had.filter((name) => !Object.hasOwn(after, name)),
    changed: has.filter((name) => Object.hasOwn(before, name) && !isSame(before[name], after[name])),
  }
}

/** Compares two values of a configuration; a member that is undefined is none. */
function isSame(a: unknown, b: unknown): boolean {
  if (Object.is(a, b)) return true
  if (Array.isArray(a) && Array.isArray(b)) return a.length === b.length && a.every((item, i) => isSame(item, b[i]))
  if (!isObject(a) || !isObject(b)) return false
  return [...new Set([...Object.keys(a), ...Object.keys(b)])].every((name) => isSame(a[name], b[name]))
}

/** Objects whose members are not told one by one: their names or their values may be secret. */
const whole = /\.(?:headers|secrets|jwt|rules)$/

function compare(a: unknown, b: unknown, path: IssuePath, changes: ConfigChange[]): void {
  if (isSame(a, b)) return
  const printed = printPath(path)
  // A section that is left out is one without members.
  const [had, has] = path.length === 1 ? [a ?? emptyAs(b), b ?? emptyAs(a)] : [a, b]
  if (isObject(had) && isObject(has) && !whole.test(printed)) {
    const names = new Set([...Object.keys(had), ...Object.keys(has)])
    for (const name of names) compare(had[name], has[name], [...path, name], changes)
    return
  }
  const list = lists.find(({ place }) => place.test(printed))
  if (list !== undefined && Array.isArray(had) && Array.isArray(has)) compareEntries(had, has, list, path, changes)
  else if (had === undefined) note(changes, path, 'added', isShown(has) ? `is set to ${has}` : 'is added')
  else if (has === undefined) note(changes, path, 'removed', isShown(had) ? `is left out; it was ${had}` : 'is removed')
  else note(changes, path, 'changed', isShown(had) && isShown(has) ? `changes from ${had} to ${has}` : 'changes')
}

function emptyAs(value: unknown): unknown {
  if (Array.isArray(value)) return []
  return isObject(value) ? {} : undefined
}

interface NamedEntries {
  readonly place: RegExp
  /** The text that tells an entry from the others. */
  readonly identity: (entry: Members) => unknown
  /** Whether it may be printed. */
  readonly isShown: boolean
}

const lists: readonly NamedEntries[] = [
  { place: /^networks(?:\.[a-z0-9]+|\["[^"]+"\])\.upstreams$/, identity: ({ name }) => name, isShown: true },
  { place: /^projects$/, identity: ({ id, name }) => id ?? name, isShown: true },
  { place: /^projects\[\d+\]\.keys$/, identity: ({ key, keyHash }) => key ?? keyHash, isShown: false },
  { place: /^admin\.tokens$/, identity: ({ name }) => name, isShown: true },
]

function compareEntries(
  before: readonly Members[],
  after: readonly Members[],
  list: NamedEntries,
  path: IssuePath,
  changes: ConfigChange[],
): void {
  const name = (entry: Members): string => (list.isShown ? ` (${JSON.stringify(list.identity(entry))})` : '')
  const [had, has] = [before.map(list.identity), after.map(list.identity)]
  const places = new Map(had.map((identity, i) => [identity, i]))
  const present = new Set(has)
  before.forEach((entry, i) => {
    if (!present.has(had[i])) note(changes, [...path, i], 'removed', `is removed${name(entry)}`)
  })
  after.forEach((entry, i) => {
    const place = places.get(has[i])
    if (place === undefined) note(changes, [...path, i], 'added', `is added${name(entry)}`)
    else compare(before[place], entry, [...path, i], changes)
  })
  if (isMoved(had, has)) note(changes, path, 'changed', 'stands in another order')
}

function isMoved(before: readonly unknown[], after: readonly unknown[]): boolean {
  const [had, has] = [new Set(before), new Set(after)]
  return !isSame(
    before.filter((name) => has.has(name)),
    after.filter((name) => had.has(name)),
  )
}

/** Tells values that hold no secret: texts might. */
function isShown(value: unknown): value is number | boolean {
  return typeof value === 'number' || typeof value === 'boolean'
}

function note(changes: ConfigChange[], path: IssuePath, kind: ConfigChange['kind'], predicate: string): void {
  const printed = printPath(path)
  changes.push({ path: printed, kind, text: `${printed} ${predicate}` })
}
