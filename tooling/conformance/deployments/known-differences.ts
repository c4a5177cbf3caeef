import type { DeploymentName } from './deployment.ts'

const atBoth = (entry: string, reason: string): Readonly<Record<string, string>> =>
  Object.fromEntries([0, 1].map((place) => [entry.replace('#', String(place)), reason]))

/** Entries in which a deployment differs from one process because it is to, each with its reason. */
const meant: Readonly<Partial<Record<DeploymentName, Readonly<Record<string, string>>>>> = {
  'two workers': {
    ...atBoth('request, place #: readiness', 'a worker tells of itself, and the store is its primary’s'),
    ...atBoth('admin, place #: GET /readyz', 'the primary tells how many workers serve'),
    ...atBoth('admin, place #: GET /processes', 'a process with workers tells their number'),
    ...atBoth('admin, place #: GET /streams', 'a filter counts at each process that has made or used it'),
  },
  'two replicas': atBoth('admin, place #: GET /streams', 'a filter counts at each process that has made or used it'),
}

/** The names of the entries in which a deployment differs from one process. */
export function knownDifferences(deployment: DeploymentName): readonly string[] {
  return Object.keys(meant[deployment] ?? {})
}
