import type { Issue } from '@wayleave/jsonrpc-core/schema'
import { isObject, type Members, networkIssues, unknownNetwork } from '@wayleave/network/config'
import { adminIssues } from './admin-issues.ts'
import { listenerIssues } from './listener-issues.ts'
import { projectIssues } from './project-issues.ts'
import { writeIssues } from './write-issues.ts'

/** Issues between members: names that must exist, or must differ. Takes values of any shape. */
export function crossIssues(config: unknown): readonly Issue[] {
  return isObject(config)
    ? [
        ...issuesOfNetworks(config),
        ...listenerIssues(config),
        ...projectIssues(config),
        ...writeIssues(config),
        ...startIssues(config),
      ]
    : []
}

/** Issues for which a gateway does not start even where nobody checked its configuration: content would be lost, or everybody an operator. */
export function startIssues(config: Members): readonly Issue[] {
  return [...ipfsIssues(config), ...adminIssues(config)]
}

function issuesOfNetworks({ networks, defaultNetwork }: Members): readonly Issue[] {
  if (!isObject(networks)) return []
  const slugs = Object.keys(networks)
  if (slugs.length === 0) return [{ path: ['networks'], expected: 'at least one network', received: 'none' }]
  const isUnknown = typeof defaultNetwork === 'string' && !slugs.includes(defaultNetwork)
  return [
    ...(isUnknown ? [unknownNetwork(['defaultNetwork'], slugs, defaultNetwork)] : []),
    ...Object.entries(networks).flatMap(([slug, network]) => networkIssues(network, ['networks', slug])),
  ]
}

/** Requires a place and a store for content: its pins must outlast a restart as it does, or it would be collected. */
function ipfsIssues({ ipfs, store, dataDir }: Members): readonly Issue[] {
  if (!isObject(ipfs)) return []
  const issues: Issue[] = []
  if (ipfs['backend'] === 'local' && ipfs['dir'] === undefined && dataDir === undefined) {
    issues.push({ path: ['ipfs', 'dir'], expected: 'a folder, as there is no dataDir', received: 'nothing' })
  }
  if (store === 'memory' || (store === undefined && dataDir === undefined)) {
    issues.push({
      path: ['store'],
      expected: 'a database beside ipfs, for its pins',
      received: 'nothing that is kept',
    })
  }
  return issues
}
