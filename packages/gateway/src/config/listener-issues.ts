import type { Issue } from '@wayleave/jsonrpc-core/schema'
import { elementsOf, isObject, type Members } from '@wayleave/network/config'
import { defaultListen } from './listen-config.ts'

interface Address {
  readonly host: string
  readonly port: string
}

/** Issues of addresses that cannot all be had: two listeners on one port, or an upstream that is a listener itself. Takes any shape. */
export function listenerIssues({ listen, ipfs, networks }: Members): readonly Issue[] {
  const given = isObject(listen) ? listen : {}
  const names = (['rpc', 'admin', 'ipfs'] as const).filter((name) => name !== 'ipfs' || isObject(ipfs))
  const listeners = names.flatMap((name) => {
    const text = given[name] ?? defaultListen[name]
    const address = parse(text)
    return address === undefined ? [] : [{ name, text: String(text), address, isDefault: given[name] === undefined }]
  })
  const issues = listeners.flatMap(({ name, text, address, isDefault }, i): readonly Issue[] => {
    const other = listeners.slice(0, i).find((earlier) => isSame(earlier.address, address))
    if (other === undefined) return []
    // The member that stands in the file is the one to change.
    const [member, taken] = isDefault ? [other.name, { name, text, isDefault }] : [name, other]
    const received = `that of listen.${taken.name}, ${taken.text}${taken.isDefault ? ' by default' : ''}`
    return [{ path: ['listen', member], expected: 'a port of its own', received }]
  })
  return [...issues, ...loops(networks, listeners)]
}

interface Listener {
  readonly name: string
  readonly text: string
  readonly address: Address
}

/** Upstreams at an address of the gateway itself: either cannot be there, or the gateway would ask itself. */
function loops(networks: unknown, listeners: readonly Listener[]): readonly Issue[] {
  return Object.entries(isObject(networks) ? networks : {}).flatMap(([slug, network]) =>
    elementsOf(network, 'upstreams').flatMap((upstream, i) => {
      const path = ['networks', slug, 'upstreams', i]
      const urls = isObject(upstream)
        ? ['url', 'ws'].map((name) => [name, upstream[name]] as const)
        : [['', upstream] as const]
      return urls.flatMap(([name, url]): readonly Issue[] => {
        const own = listeners.find(({ address }) => isAt(url, address))
        if (own === undefined) return []
        const expected = `the address of a node: listen.${own.name} is ${own.text} itself, so give it another port`
        return [{ path: name === '' ? path : [...path, name], expected, received: 'the same' }]
      })
    }),
  )
}

function isAt(url: unknown, { host, port }: Address): boolean {
  if (typeof url !== 'string' || !URL.canParse(url)) return false
  const at = new URL(url)
  return (
    at.port === port &&
    (ownHosts.get(host) ?? [host]).some((own) => isSame({ host: at.hostname, port }, { host: own, port }))
  )
}

/** Hosts by which a listener at all addresses is surely found. */
const ownHosts: ReadonlyMap<string, readonly string[]> = new Map([
  ['0.0.0.0', ['127.0.0.1', 'localhost']],
  ['[::]', ['127.0.0.1', 'localhost', '[::1]']],
])

/** Reads `host:port`; undefined for another value, and for port 0, which is any free one. */
function parse(value: unknown): Address | undefined {
  const [, host, port] = typeof value === 'string' ? (/^(.+):(\d{1,5})$/.exec(value) ?? []) : []
  return host === undefined || Number(port) === 0 ? undefined : { host, port: String(Number(port)) }
}

function isSame(a: Address, b: Address): boolean {
  if (a.port !== b.port) return false
  const covers = (one: string, other: string): boolean =>
    one === other ||
    one === '[::]' ||
    (one === '0.0.0.0' && !other.startsWith('[')) ||
    // At [::1] something else may listen.
    (one === 'localhost' && other === '127.0.0.1')
  return covers(a.host, b.host) || covers(b.host, a.host)
}
