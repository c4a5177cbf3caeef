import type { Issue } from '@wayleave/jsonrpc-core/schema'
import { elementsOf, isObject, type Members } from '@wayleave/network/config'

/** Issues of the ways that transactions go: `broadcast`, private upstreams and projects. Takes values of any shape. */
export function writeIssues({ networks, projects }: Members): readonly Issue[] {
  if (!isObject(networks)) return []
  const all = Object.entries(networks).map(([slug, network]) => ({
    slug,
    network,
    upstreams: elementsOf(network, 'upstreams'),
  }))
  const issues: Issue[] = []
  for (const { slug, network, upstreams } of all) {
    const broadcast = isObject(network) ? network['broadcast'] : undefined
    if (typeof broadcast === 'number' && broadcast > upstreams.length) {
      const expected = `at most ${upstreams.length}, as the network has so many upstreams`
      issues.push({ path: ['networks', slug, 'broadcast'], expected, received: String(broadcast) })
    }
    if (upstreams.length === 0 || !upstreams.every(isPrivate)) continue
    const expected = 'at least one without private: true, for other projects and for what the gateway asks itself'
    issues.push({ path: ['networks', slug, 'upstreams'], expected, received: 'private ones only' })
  }
  for (const [i, project] of (Array.isArray(projects) ? projects : []).entries()) {
    if (!isObject(project) || project['transactions'] !== 'private') continue
    const { upstreams: groups, networks: slugs } = project
    const bare = all.filter(
      ({ slug, upstreams }) =>
        (!Array.isArray(slugs) || slugs.includes(slug)) &&
        !upstreams.some((each) => isPrivate(each) && isIn(each, groups)),
    )
    if (bare.length === 0) continue
    const where = bare.map(({ slug }) => slug).join(', ')
    const expected = `an upstream with private: true${groups === undefined ? '' : ' in its groups'} on ${where}, or a list of networks without`
    issues.push({ path: ['projects', i, 'transactions'], expected, received: '"private"' })
  }
  return issues
}

function isPrivate(upstream: unknown): boolean {
  return isObject(upstream) && upstream['private'] === true
}

function isIn(upstream: unknown, groups: unknown): boolean {
  return !Array.isArray(groups) || elementsOf(upstream, 'groups').some((group) => groups.includes(group))
}
