import { AuthError, maxSecrets, parseHash, parseJwtKey, sha256Hex } from '@wayleave/auth'
import type { Issue, IssuePath } from '@wayleave/jsonrpc-core/schema'
import { elementsOf, isObject, type Members, type Placed, repetitions, unknownNetwork } from '@wayleave/network/config'

/** Issues of projects between members, and of the JWT keys. Takes values of any shape. */
export function projectIssues({ networks, projects, plans }: Members): readonly Issue[] {
  if (!Array.isArray(projects)) return []
  const slugs = isObject(networks) ? Object.keys(networks) : undefined
  const groups = groupsOf(networks)
  const planNames = Object.keys(isObject(plans) ? plans : {})
  const issues: Issue[] = []
  const names: Placed[] = []
  const ids: Placed[] = []
  const keys: Placed[] = []
  for (const [i, project] of projects.entries()) {
    if (!isObject(project)) continue
    const { name, id = name } = project
    // If two projects have one name, the name alone is at fault.
    if (id !== name || names.every(({ text }) => text !== name)) ids.push({ text: id, path: ['projects', i, 'id'] })
    names.push({ text: name, path: ['projects', i, 'name'] })
    for (const [j, network] of elementsOf(project, 'networks').entries()) {
      if (slugs === undefined || typeof network !== 'string' || slugs.includes(network)) continue
      issues.push(unknownNetwork(['projects', i, 'networks', j], slugs, network))
    }
    for (const [j, group] of elementsOf(project, 'upstreams').entries()) {
      if (typeof group !== 'string' || groups.includes(group)) continue
      const path = ['projects', i, 'upstreams', j]
      issues.push({ path, expected: oneGroupOf(groups), received: JSON.stringify(group) })
    }
    for (const [j, entry] of elementsOf(project, 'keys').entries()) {
      if (!isObject(entry)) continue
      const path = ['projects', i, 'keys', j]
      keys.push(digestOf(entry, path))
      issues.push(...secretIssues(entry, project, path), ...planIssues(entry, planNames, path))
    }
    issues.push(...planIssues(project, planNames, ['projects', i]))
    issues.push(...jwtIssues(project, ['projects', i, 'jwt']), ...emptyRules(project, ['projects', i, 'rules']))
  }
  return [
    ...issues,
    ...repetitions(names, 'a name of its own'),
    ...repetitions(ids, 'an id of its own (default: the name)'),
    ...repetitions(keys, 'a key that stands once'),
  ]
}

function planIssues({ plan }: Members, names: readonly string[], path: IssuePath): readonly Issue[] {
  if (typeof plan !== 'string' || names.includes(plan)) return []
  const expected =
    names.length === 0 ? 'a name of `plans`, which has none' : `one of ${names.join(', ')}, the \`plans\``
  return [{ path: [...path, 'plan'], expected, received: JSON.stringify(plan) }]
}

/** All groups that upstreams are in. */
function groupsOf(networks: unknown): readonly string[] {
  const upstreams = Object.values(isObject(networks) ? networks : {}).flatMap((it) => elementsOf(it, 'upstreams'))
  const names = upstreams.flatMap((upstream) => elementsOf(upstream, 'groups'))
  return [...new Set(names.filter((name) => typeof name === 'string'))]
}

function oneGroupOf(groups: readonly string[]): string {
  if (groups.length === 0) return 'a group that upstreams are in: give some upstreams `groups`'
  return `one of ${groups.join(', ')}, the groups that upstreams are in`
}

/** The digest of a key and the place where it came from: one key may stand in plain text and as its SHA-256. */
function digestOf({ key, keyHash }: Members, path: IssuePath): Placed {
  if (typeof keyHash === 'string') return { text: parseHash(keyHash), path: [...path, 'keyHash'] }
  return { text: typeof key === 'string' ? sha256Hex(key) : undefined, path: [...path, 'key'] }
}

function secretIssues(entry: Members, project: Members, path: IssuePath): readonly Issue[] {
  const { secret, disabled } = entry
  const others = elementsOf(entry, 'secrets').length
  if (secret !== undefined && others === maxSecrets) {
    const expected = `at most ${maxSecrets} secrets of a key, of which \`secret\` is one`
    return [{ path: [...path, 'secrets'], expected, received: `${others} beside it` }]
  }
  if (secret !== undefined || others > 0 || project['requireSecret'] !== true || disabled === true) return []
  if (elementsOf(project['jwt'], 'keys').length > 0) return []
  return [{ path: [...path, 'secret'], expected: 'a secret, as the project requires one', received: 'nothing' }]
}

/** Refuses rules without a list, which a template leaves that renders nothing. */
function emptyRules({ rules }: Members, path: IssuePath): readonly Issue[] {
  if (!isObject(rules) || Object.keys(rules).length > 0) return []
  return [{ path, expected: 'at least one list, or no such member, as nothing is refused without', received: '{}' }]
}

function jwtIssues({ jwt, requireJwt }: Members, path: IssuePath): readonly Issue[] {
  const keys = elementsOf(jwt, 'keys').filter(isObject)
  if (requireJwt === true && keys.length === 0) {
    return [{ path: [...path, 'keys'], expected: 'a key, as the project requires JWTs', received: 'none' }]
  }
  if (isObject(jwt) && Array.isArray(jwt['keys']) && jwt['keys'].length === 0) {
    return [{ path: [...path, 'keys'], expected: 'at least one key, or no member `jwt`', received: 'an empty list' }]
  }
  const faults = keys.flatMap(({ pem }, i) => {
    const fault = typeof pem === 'string' ? faultOf(pem) : undefined
    return fault === undefined ? [] : [{ path: [...path, 'keys', i, 'pem'], expected: publicKey, received: fault }]
  })
  const ids = keys.map(({ id }, i) => ({ text: id, path: [...path, 'keys', i, 'id'] }))
  return [...faults, ...repetitions(ids, 'an id of its own')]
}

const publicKey = 'a public key in PEM: RSA of 2,048 to 8,192 bits, or EC on P-256'

function faultOf(pem: string): string | undefined {
  try {
    parseJwtKey({ pem })
    return undefined
  } catch (thrown) {
    if (!(thrown instanceof AuthError)) throw thrown
    return `another text: ${thrown.message}`
  }
}
