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

const bursts = [
  'burst of the project rested',
  'calls left at the refusal of the project rested',
  'burst of the project rested-in-turns',
  'refusal of the project rested-in-turns',
  'a batch of a whole burst',
  'the call after it',
]
const endsElsewhere = [0, 1].map((place) => `filters that are made at place ${place} and ended at the other one`)
const streams = [0, 1].map((place) => `admin, place ${place}: GET /streams`)
const relayed = [
  'newPendingTransactions',
  'newPendingTransactions in short',
  'newPendingTransactions in full',
  'a kind of the node',
  'an unknown kind',
  'an unknown kind without data',
].flatMap((kind) => [0, 1].map((place) => `subscription, place ${place}: ${kind}`))
const leftOpen = [
  'subscription: open at the node after all have ended',
  ...[0, 1].map((place) => `subscription, place ${place}: a hundred to pending transactions, then none`),
]
const stepsOfFilter = [
  '',
  ': poll 1, there',
  ': poll 2, at the other place',
  ': poll 3, at the other place',
  ': poll 4, there',
  ': logs',
  ': for another project',
  ': end',
  ': second end',
  ': changes after the end',
]
const pendingFilters = ['pending', 'whole pending'].flatMap((kind) =>
  [0, 1].flatMap((place) =>
    stepsOfFilter.map((step) => `filter of ${kind} transactions, made at place ${place}${step}`),
  ),
)

/** Entries in which a deployment differs by a fault that is known. */
const faulty: Readonly<Partial<Record<DeploymentName, readonly string[]>>> = {
  'two workers': [
    ...bursts,
    'calls left at the refusal of the project rested-in-turns',
    ...relayed,
    ...leftOpen,
    ...pendingFilters,
    ...endsElsewhere,
    ...streams,
  ],
  'two replicas': [
    ...bursts,
    'filter of pending transactions, made at place 0: poll 2, at the other place',
    'filter of whole pending transactions, made at place 0: poll 2, at the other place',
    ...endsElsewhere,
    ...streams,
  ],
}

/** The names of the entries in which a deployment differs from one process. */
export function knownDifferences(deployment: DeploymentName): readonly string[] {
  return [...Object.keys(meant[deployment] ?? {}), ...(faulty[deployment] ?? [])]
}
