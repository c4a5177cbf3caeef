import { chainFelt } from '../networks/chain-felt.ts'
import { knownChains } from './known-chains.ts'
import { type ConfigPath, type Fault, isObject } from './shape.ts'

/** What no member shows alone: names that have to be there, or to be different. Takes values of any shape. */
export function faultsOfMeaning(config: unknown): readonly Fault[] {
  if (!isObject(config)) return []
  return [...faultsOfNetworks(config), ...faultsOfProjects(config), ...faultsOfIpfs(config)]
}

function faultsOfNetworks({ networks, defaultNetwork }: Readonly<Record<string, unknown>>): readonly Fault[] {
  if (!isObject(networks)) return []
  const slugs = Object.keys(networks)
  if (slugs.length === 0) return [{ path: ['networks'], expected: 'at least one network', got: 'none' }]
  const faults: Fault[] = []
  if (typeof defaultNetwork === 'string' && !slugs.includes(defaultNetwork)) {
    faults.push({ path: ['defaultNetwork'], expected: oneOfThese(slugs), got: JSON.stringify(defaultNetwork) })
  }
  for (const [slug, network] of Object.entries(networks)) {
    const upstreams = isObject(network) && Array.isArray(network['upstreams']) ? network['upstreams'] : []
    const names = upstreams.map((upstream: unknown, i) =>
      isObject(upstream) && upstream['name'] !== undefined ? upstream['name'] : `upstream-${i + 1}`,
    )
    faults.push(...repeated(names, (i) => ['networks', slug, 'upstreams', i, 'name'], 'a name of its own'))
  }
  return faults
}

function faultsOfProjects({ networks, projects }: Readonly<Record<string, unknown>>): readonly Fault[] {
  if (!Array.isArray(projects)) return []
  const slugs = isObject(networks) ? Object.keys(networks) : undefined
  const faults: Fault[] = []
  const names: unknown[] = []
  const keys: unknown[] = []
  const keyPaths: ConfigPath[] = []
  for (const [i, project] of projects.entries()) {
    names.push(isObject(project) ? project['name'] : undefined)
    if (!isObject(project)) continue
    for (const [j, network] of asArray(project['networks']).entries()) {
      if (slugs === undefined || typeof network !== 'string' || slugs.includes(network)) continue
      faults.push({ path: ['projects', i, 'networks', j], expected: oneOfThese(slugs), got: JSON.stringify(network) })
    }
    for (const [j, entry] of asArray(project['keys']).entries()) {
      if (!isObject(entry)) continue
      const path: ConfigPath = ['projects', i, 'keys', j]
      keys.push(entry['key'])
      keyPaths.push([...path, 'key'])
      if (project['requireSecret'] === true && entry['secret'] === undefined) {
        faults.push({ path: [...path, 'secret'], expected: 'a secret, as the project requires one', got: 'nothing' })
      }
    }
  }
  faults.push(...repeated(names, (i) => ['projects', i, 'name'], 'a name of its own'))
  faults.push(...repeated(keys, (i) => keyPaths[i]!, 'a key that stands once'))
  return faults
}

/** Content outlasts a restart, and so must what tells whose it is: without its pins it would be collected. */
export function faultsOfIpfs({ ipfs, store, dataDir }: Readonly<Record<string, unknown>>): readonly Fault[] {
  if (!isObject(ipfs)) return []
  const faults: Fault[] = []
  if (ipfs['backend'] === 'local' && ipfs['dir'] === undefined && dataDir === undefined) {
    faults.push({ path: ['ipfs', 'dir'], expected: 'a folder, as there is no dataDir', got: 'nothing' })
  }
  if (store === 'memory' || (store === undefined && dataDir === undefined)) {
    faults.push({ path: ['store'], expected: 'a database beside ipfs, for its pins', got: 'nothing that is kept' })
  }
  return faults
}

/** Faults of the texts that stand earlier in the list, too. */
function repeated(texts: readonly unknown[], pathOf: (i: number) => ConfigPath, expected: string): readonly Fault[] {
  return texts.flatMap((text, i) =>
    typeof text === 'string' && texts.indexOf(text) < i
      ? [{ path: pathOf(i), expected, got: 'a repetition of an earlier one' }]
      : [],
  )
}

/** What is right, and yet hardly meant. For a configuration without faults. */
export function warningsOf(config: unknown): readonly Fault[] {
  if (!isObject(config) || !isObject(config['networks'])) return []
  return Object.entries(config['networks']).flatMap(([slug, network]) => {
    if (!isObject(network)) return []
    const faults: Fault[] = []
    const path: ConfigPath = ['networks', slug]
    const known = knownChains.get(slug)
    if (known !== undefined && !isSameChain(network['chainId'], known)) {
      const got = String(network['chainId'])
      faults.push({ path: [...path, 'chainId'], expected: `${known}, the chain id of ${slug}`, got })
    }
    // Of Starknet no subscription is served.
    if (network['kind'] !== 'starknet' && !asArray(network['upstreams']).some(isSocketUrl)) {
      const expected = 'a ws or wss URL among them, as subscriptions need one'
      faults.push({ path: [...path, 'upstreams'], expected, got: 'http and https URLs only' })
    }
    if (network['kind'] === 'rollup' && network['rollupNode'] === undefined) {
      const expected = 'the URL of the rollup node, unless an upstream answers rollup_getInfo itself'
      faults.push({ path: [...path, 'rollupNode'], expected, got: 'nothing' })
    }
    if (asArray(network['upstreams']).length === 1 && provesSome(network)) {
      const expected =
        'another one beside it, or verify: consistent: blocks by number are proven by what most upstreams say'
      faults.push({ path: [...path, 'upstreams'], expected, got: 'one upstream' })
    }
    return faults
  })
}

/** One and the same chain of Starknet can be written as a text and as a felt. */
function isSameChain(configured: unknown, known: number | string): boolean {
  if (typeof known === 'number') return configured === known
  return typeof configured === 'string' && chainFelt(configured) === chainFelt(known)
}

function provesSome({ verify, upstreams }: Readonly<Record<string, unknown>>): boolean {
  return asArray(upstreams).some(
    (upstream) => (isObject(upstream) ? (upstream['verify'] ?? verify) : verify) === 'proven',
  )
}

function isSocketUrl(upstream: unknown): boolean {
  const url = isObject(upstream) ? upstream['url'] : upstream
  return typeof url === 'string' && /^wss?:/i.test(url)
}

function asArray(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : []
}

function oneOfThese(names: readonly string[]): string {
  return `one of ${names.join(', ')}`
}
