/**
 * Members of a configuration that only a restart can change, since their parts live as long as the process: its addresses, its stores, and
 * the budgets that projects share. A listener keeps to TLS, or to none; its certificate may be another one.
 */
export const restartMembers: readonly string[] = [
  'listen.rpc',
  'listen.ipfs',
  'listen.admin',
  'dataDir',
  'store',
  'redis',
  'replicas',
  'ipfs',
  'usage',
  'cache',
  'metrics',
  'limits.maxHeldBytes',
  'limits.maxCalls',
  'limits.maxFilters',
]
