import type { MethodFacts } from '@wayleave/jsonrpc-core/schema'
import type { NetworkConfig } from '../config/network-config.ts'
import { namedUpstream } from '../config/upstream-config.ts'
import { sendsNothing } from '../kinds/method-facts.ts'
import { streamTenant } from '../hints/stream-tenant.ts'

/** The settings of a project that decide which upstreams its calls are sent to, and who is told their names. */
export interface ProjectSettings {
  /** Default: `name`. */
  readonly id?: string | undefined
  readonly name?: string | undefined
  /** The groups of upstreams that it may use. Default: all that are not private. */
  readonly upstreams?: readonly string[] | undefined
  /** Whether its transactions go to private upstreams alone. */
  readonly transactions?: 'private' | 'public' | undefined
  readonly showUpstream?: boolean | undefined
}

interface Projects {
  readonly projects?: readonly ProjectSettings[] | undefined
}

/** The upstreams of one network that may be asked for a project's calls, as their groups; undefined: all may. */
export interface ProjectUpstreams {
  /** For calls that send nothing, by the project's id, or a `streamTenant`; undefined for the gateway itself. The same array each time. */
  reads(project: string | undefined): readonly string[] | undefined
  /** For calls that may send something: all but reads. The same function as `reads` where no project is private. */
  writes(project: string | undefined): readonly string[] | undefined
  /** Whether the transactions of a project go to private upstreams alone, and nobody else is to hear of them. */
  isPrivate(project: string | undefined): boolean
}

/** The groups whose upstreams may be asked for a call of a tenant. */
export type GroupsFor = (tenant: string | undefined, method: string) => readonly string[] | undefined

/** Makes the function that tells the groups for each method. */
export function groupsForCalls({ reads, writes }: ProjectUpstreams, facts: MethodFacts): GroupsFor {
  if (reads === writes) return reads
  return (tenant, method) => (sendsNothing(facts, method) ? reads(tenant) : writes(tenant))
}

type Groups = readonly string[] | undefined

/** The group of all private upstreams, and that of all others. No configured group has such a name. */
const privateGroup = '(private)'
const publicGroup = '(public)'
const privatePart = (group: string): string => `${group} ${privateGroup}`

/** Tells which upstreams of a network projects may use. A private one is asked for calls of projects with private transactions alone. */
export function projectUpstreams(config: Projects, network: Pick<NetworkConfig, 'upstreams'>): ProjectUpstreams {
  const groupsOf = settingOf(config, ({ upstreams }) => upstreams, streamTenant)
  const transactions = settingOf(config, (project) => project.transactions)
  const isPrivate: ProjectUpstreams['isPrivate'] = (project) => transactions(project) === 'private'
  const hides = config.projects?.some((project) => project.transactions === 'private') === true
  if (!hasPrivate(network)) {
    if (!hides) return { reads: groupsOf, writes: groupsOf, isPrivate }
    // Without a private upstream, such a project sends nothing.
    const none = [privateGroup]
    return { reads: groupsOf, writes: (project) => (isPrivate(project) ? none : groupsOf(project)), isPrivate }
  }
  const openToAll = [publicGroup]
  const all = [publicGroup, privateGroup]
  const reads = settingOf(
    config,
    ({ upstreams, transactions: where }) =>
      where === 'private'
        ? (upstreams?.flatMap((group) => [group, privatePart(group)]) ?? all)
        : (upstreams ?? openToAll),
    streamTenant,
  )
  const writes = settingOf(config, ({ upstreams }) => upstreams?.map(privatePart) ?? [privateGroup])
  const readsOf = (project: string | undefined): Groups => reads(project) ?? openToAll
  if (!hides) return { reads: readsOf, writes: readsOf, isPrivate }
  return { reads: readsOf, writes: (project) => (isPrivate(project) ? writes(project) : readsOf(project)), isPrivate }
}

/** Returns the groups of each upstream of a network, in which {@link projectUpstreams} looks for it. */
export function upstreamGroups(network: Pick<NetworkConfig, 'upstreams'>): readonly (readonly string[] | undefined)[] {
  const upstreams = network.upstreams.map(namedUpstream)
  if (!hasPrivate(network)) return upstreams.map(({ groups }) => groups)
  return upstreams.map(({ groups = [], private: isPrivate }) =>
    isPrivate === true ? [...groups.map(privatePart), privateGroup] : [...groups, publicGroup],
  )
}

function hasPrivate({ upstreams }: Pick<NetworkConfig, 'upstreams'>): boolean {
  return upstreams.some((upstream, i) => namedUpstream(upstream, i).private === true)
}

/** Returns a function that tells whether the callers of a project, by its id, are told upstreams by name. */
export function showsUpstream(config: Projects): (project: string | undefined) => boolean {
  const shows = settingOf(config, ({ showUpstream }) => showUpstream)
  return (project) => shows(project) ?? false
}

/** Returns a function that gives the setting of a project by its id, or by the other name that the setting has. */
function settingOf<T>(
  { projects = [] }: Projects,
  read: (project: ProjectSettings) => T | undefined,
  otherName?: (setting: T) => string,
): (project: string | undefined) => T | undefined {
  const settings = new Map<string | undefined, T>()
  for (const project of projects) {
    const setting = read(project)
    if (setting === undefined) continue
    settings.set(project.id ?? project.name, setting)
    if (otherName !== undefined) settings.set(otherName(setting), setting)
  }
  return (project) => settings.get(project)
}
