import {
  type Author,
  type Changes,
  defaultsOf,
  type Digest,
  type Fields,
  keyFields,
  parseJwtKey,
  projectFields,
} from '@wayleave/auth'
import type { Configured } from '../configured.ts'
import type { DesiredKey, DesiredPlan, DesiredProject, DesiredState, StateChange } from '../model/state.ts'
import type { AccountPort, KeyRecord, PlanRecord, ProjectRecord } from '../ports.ts'
import { partsOf } from '../key-text.ts'
import { renameOrder } from './rename-order.ts'
import { sameJson } from './same-json.ts'

/** A change, and how it is made. */
export interface Step {
  readonly change: StateChange
  make(accounts: AccountPort, by: Author): Promise<unknown>
}

type Snapshot = Awaited<ReturnType<AccountPort['snapshot']>>

/**
 * Lists the steps from what a store holds to a state, in an order in which each can be made: plans come before those who name them and
 * go after them; what goes frees its name and its key for what comes.
 */
export function stepsTo(
  state: DesiredState,
  snapshot: Snapshot,
  configured: Pick<Configured, 'plans'>,
  sha256: Digest,
): readonly Step[] {
  const desired = new Map(state.projects.map((project) => [project.id, project]))
  const kept = new Map(snapshot.projects.map((project) => [project.id, project]))
  const keysOf = byProject(snapshot.keys)
  const gone = snapshot.projects.filter(({ id }) => !desired.has(id))
  const planIds = new Set([...state.plans.map(({ id }) => id), ...configured.plans.keys()])
  const plans = new Map(snapshot.plans.map((plan) => [plan.id, plan]))
  const keySteps = state.projects.flatMap((project) => stepsOfKeys(project, keysOf.get(project.id) ?? [], sha256))
  return [
    ...state.plans.flatMap((plan) => stepOfPlan(plan, plans.get(plan.id))),
    ...gone.map(({ id }) => step('remove', 'project', id, {}, (accounts, by) => accounts.removeProject(id, by))),
    ...keySteps.filter(({ change }) => change.action === 'remove'),
    ...renameOrder(state.projects, snapshot.projects).ordered.flatMap((project) =>
      stepsOfProject(project, kept.get(project.id)),
    ),
    ...keySteps.filter(({ change }) => change.action !== 'remove'),
    ...snapshot.plans
      .filter(({ id }) => !planIds.has(id))
      .map(({ id }) => step('remove', 'plan', id, {}, (accounts, by) => accounts.removePlan(id, by))),
  ]
}

function byProject(keys: readonly KeyRecord[]): ReadonlyMap<string, readonly KeyRecord[]> {
  const lists = new Map<string, KeyRecord[]>()
  for (const key of keys) {
    const list = lists.get(key.projectId)
    if (list === undefined) lists.set(key.projectId, [key])
    else list.push(key)
  }
  return lists
}

function step(
  action: StateChange['action'],
  kind: StateChange['kind'],
  id: string,
  more: Pick<StateChange, 'project' | 'members'>,
  make: Step['make'],
): Step {
  return { change: { action, kind, id, ...more }, make }
}

function stepOfPlan({ id, name = id, limits }: DesiredPlan, kept: PlanRecord | undefined): readonly Step[] {
  const make: Step['make'] = (accounts, by) => accounts.putPlan({ id, name, limits }, by)
  if (kept === undefined) return [step('create', 'plan', id, {}, make)]
  const members = Object.keys(differences({ name, limits }, kept))
  return members.length === 0 ? [] : [step('update', 'plan', id, { members }, make)]
}

function stepsOfProject(project: DesiredProject, kept: ProjectRecord | undefined): readonly Step[] {
  const { id, name = id, jwtKeys = [], keys: _, ...chosen } = project
  const fields = { ...blankOf(projectFields), ...chosen, name }
  const steps: Step[] = []
  if (kept === undefined) {
    steps.push(step('create', 'project', id, {}, (accounts, by) => accounts.createProject({ ...fields, id }, by)))
  } else {
    const changes = differences(fields, kept)
    const members = Object.keys(changes)
    if (members.length > 0) {
      steps.push(step('update', 'project', id, { members }, (accounts, by) => accounts.updateProject(id, changes, by)))
    }
  }
  const wanted = jwtKeys.map(({ pem, kid = parseJwtKey({ pem }).kid, label = '' }) => ({ kid, pem, label }))
  const before = kept?.jwtKeys ?? []
  const isKept = (key: (typeof wanted)[number]): boolean =>
    before.some((other) => other.kid === key.kid && other.pem === key.pem && other.label === key.label)
  for (const { kid } of before) {
    if (wanted.some((key) => key.kid === kid && isKept(key))) continue
    steps.push(step('remove', 'jwt_key', kid, { project: id }, (accounts, by) => accounts.removeJwtKey(id, kid, by)))
  }
  for (const key of wanted) {
    if (isKept(key)) continue
    steps.push(step('create', 'jwt_key', key.kid, { project: id }, (accounts, by) => accounts.addJwtKey(id, key, by)))
  }
  return steps
}

function stepsOfKeys(
  { id: project, keys }: DesiredProject,
  kept: readonly KeyRecord[],
  sha256: Digest,
): readonly Step[] {
  if (keys === undefined) return []
  const byId = new Map(kept.map((key) => [key.id, key]))
  const steps: Step[] = []
  const remove = (id: string): void =>
    void steps.push(step('remove', 'key', id, { project }, (accounts, by) => accounts.removeKey(id, by)))
  for (const { id } of kept) if (!keys.some((key) => key.id === id)) remove(id)
  for (const key of keys) {
    const { id, fields, digest, hint } = partsOfDesired(key, sha256)
    const before = byId.get(id)
    if (before?.digest === digest) {
      const changes = differences(fields, before)
      const members = Object.keys(changes)
      if (members.length === 0) continue
      steps.push(step('update', 'key', id, { project, members }, (accounts, by) => accounts.updateKey(id, changes, by)))
      continue
    }
    if (before !== undefined) remove(id)
    steps.push(
      step('create', 'key', id, { project }, (accounts, by) =>
        accounts.createKey({ id, projectId: project, digest, hint, ...fields }, by),
      ),
    )
  }
  return steps
}

function partsOfDesired(given: DesiredKey, sha256: Digest) {
  const { id, key: _, keyHash: __, hint: ___, ...chosen } = given
  const fields = { ...blankOf(keyFields), ...chosen }
  return { id, fields, ...partsOf(given, sha256) }
}

/** All members that may be chosen, for which nothing is: their defaults, and undefined. */
function blankOf<F extends Fields>(fields: F): Changes<F> {
  const names = Object.keys(fields).filter((name) => fields[name]!.chosen === true && fields[name]!.optional === true)
  return { ...defaultsOf(fields), ...Object.fromEntries(names.map((name) => [name, undefined])) }
}

/** The members of `wanted` that are otherwise in `kept`. */
function differences<T extends object>(wanted: T, kept: object): Partial<T> {
  const known = kept as Readonly<Record<string, unknown>>
  return Object.fromEntries(
    Object.entries(wanted).filter(([name, value]) => !sameJson(value, known[name])),
  ) as Partial<T>
}
