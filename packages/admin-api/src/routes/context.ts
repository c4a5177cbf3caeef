import type { Digest, RecordPage } from '@wayleave/auth'
import { AdminError, invalid, notFound } from '../error.ts'
import type { Configured } from '../configured.ts'
import type { KeyForm } from '../model/key.ts'
import { type Page, defaultLimit, type PageQuery } from '../model/page.ts'
import type { AccountPort, GatewayPorts, KeyRecord, ProjectRecord, UsagePort } from '../ports.ts'

/** The parts that routes work on. */
export interface RouteContext extends GatewayPorts {
  readonly accounts: AccountPort
  readonly usage: UsagePort
  readonly configured: Configured
  readonly sha256: Digest
  readonly newKey: (form: KeyForm) => string
  readonly newSecret: () => string
  readonly newId: () => string
}

/** Returns a part of the gateway. @throws AdminError `not_found` where it is absent; `what`: its plural, for a person */
export function served<T>(port: T | undefined, what: string): T {
  if (port !== undefined) return port
  throw new AdminError('not_found', `no ${what} are served here: ask a running gateway`)
}

/** Finds a project of the store. @throws AdminError `not_found`, and `conflict` for one of the configuration */
export async function projectToChange({ accounts, configured }: RouteContext, id: string): Promise<ProjectRecord> {
  configured.refuse('project', id)
  const project = await accounts.project(id)
  if (project === undefined) throw notFound(`project "${id}"`)
  return project
}

/** Finds a key of the store in a project. @throws AdminError as above */
export async function keyToChange(context: RouteContext, project: string, id: string): Promise<KeyRecord> {
  context.configured.refuse('project', project)
  const key = await context.accounts.key(id)
  if (key?.projectId !== project) throw notFound(`key "${id}" of project "${project}"`)
  return key
}

/**
 * Runs a change of a record that names a plan. A store tells of a plan that is not there as of a record that is not there; here it is a
 * wrong value of the body, unless the record is gone.
 */
export async function withPlan<T>(
  plan: string | null | undefined,
  work: Promise<T>,
  isThere: () => Promise<boolean>,
): Promise<T> {
  try {
    return await work
  } catch (thrown) {
    const isMissing = thrown instanceof Error && (thrown as { code?: unknown }).code === 'not_found'
    if (plan == null || !isMissing || !(await isThere())) throw thrown
    throw invalid([{ path: 'plan', message: `there is no plan "${plan}": put it first` }])
  }
}

/** Null means that an optional member is taken away, which stores are told by undefined. */
export function changesOf<T extends object>(patch: T): { readonly [Name in keyof T]: Exclude<T[Name], null> } {
  return Object.fromEntries(
    Object.entries(patch).map(([name, value]: [string, unknown]) => [name, value ?? undefined]),
  ) as never
}

/**
 * Pages through the records of the configuration, and then through those of the store. The two have orders of their own, since a
 * database sorts by its own rules; so a cursor says which of them it is of. A record of the store that the configuration has, too, is
 * left out.
 */
export async function listBoth<Kept extends { readonly id: string }, T>(
  { limit = defaultLimit, after }: PageQuery,
  configured: readonly (readonly [id: string, view: T])[],
  stored: (page: RecordPage) => Promise<readonly Kept[]>,
  view: (kept: readonly Kept[]) => Promise<readonly T[]> | readonly T[],
): Promise<Page<T>> {
  const [, kind, id] = /^([cs]):(.+)$/.exec(after ?? 'c:.') ?? []
  if (kind === undefined || id === undefined) {
    throw invalid([{ path: 'query.after', message: 'expected the "next" of the page before' }])
  }
  const items: T[] = []
  if (kind === 'c') {
    const rest = after === undefined ? configured : configured.slice(configured.findIndex(([own]) => own === id) + 1)
    const some = rest.slice(0, limit)
    items.push(...some.map(([, item]) => item))
    if (items.length === limit) return { items, next: `c:${some.at(-1)![0]}` }
  }
  const wanted = limit - items.length
  const kept = await stored({ limit: wanted, ...(kind === 's' && { after: id }) })
  const known = new Set(configured.map(([own]) => own))
  items.push(...(await view(kept.filter(({ id: own }) => !known.has(own)))))
  return kept.length < wanted ? { items } : { items, next: `s:${kept.at(-1)!.id}` }
}
