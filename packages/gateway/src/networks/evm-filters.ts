/** The part of a call in the life of a filter that a node keeps. */
export type FilterCall = 'opens' | 'polls' | 'reads' | 'ends'

/** The calls for filters of EVM nodes; those that do not open one name it first. Source: execution-apis. */
export const evmFilters: ReadonlyMap<string, FilterCall> = new Map<string, FilterCall>([
  ['eth_newFilter', 'opens'],
  ['eth_newBlockFilter', 'opens'],
  ['eth_newPendingTransactionFilter', 'opens'],
  ['eth_getFilterChanges', 'polls'],
  ['eth_getFilterLogs', 'reads'],
  ['eth_uninstallFilter', 'ends'],
])
