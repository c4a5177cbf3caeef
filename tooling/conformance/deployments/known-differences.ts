import type { DeploymentName } from './deployment.ts'

/** Entries in which a deployment differs from one process because it is to, each with its reason. */
const meant: Readonly<Partial<Record<DeploymentName, Readonly<Record<string, string>>>>> = {
  'two workers': {
    'request, place 0: readiness': 'a worker tells of itself, and the store is its primary’s',
    'request, place 1: readiness': 'a worker tells of itself, and the store is its primary’s',
    'admin, place 0: GET /readyz': 'the primary tells how many workers serve',
    'admin, place 1: GET /readyz': 'the primary tells how many workers serve',
    'admin, place 0: GET /processes': 'a process with workers tells their number',
    'admin, place 1: GET /processes': 'a process with workers tells their number',
  },
}

const streams = [0, 1].map((place) => `admin, place ${place}: GET /streams`)
const pendingElsewhere = ['pending', 'whole pending'].map(
  (kind) => `filter of ${kind} transactions, made at place 0: poll 2, at the other place`,
)

/** Entries in which a deployment differs by a fault that is known. */
const faulty: Readonly<Partial<Record<DeploymentName, readonly string[]>>> = {
  'two workers': [
    ...pendingElsewhere,
    ...streams,
  ],
  'two replicas': [...pendingElsewhere, ...streams],
}

/** The names of the entries in which a deployment differs from one process. */
export function knownDifferences(deployment: DeploymentName): readonly string[] {
  return [...Object.keys(meant[deployment] ?? {}), ...(faulty[deployment] ?? [])]
}
