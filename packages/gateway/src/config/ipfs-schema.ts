import { boolean, integer, is, oneOf, text } from '@wayleave/jsonrpc-core/schema'
import type { IpfsConfig, KuboIpfsConfig, LocalIpfsConfig, ProjectIpfsConfig } from './ipfs-config.ts'
import { isObject, leaf, list, members, optional, type Shape } from './shape.ts'

/** Longer waits would overflow a timer. */
const milliseconds = leaf(integer('a whole number of milliseconds above 0, at most 24 days', 1, 2 ** 31 - 1))
const bytes = leaf(integer('a whole number of bytes above 0', 1))
const quota = leaf(integer('a whole number of bytes, 0 for none', 0))
const httpUrl: Shape<string> = leaf(
  is('an http or https URL', (value) => {
    const url = typeof value === 'string' && URL.canParse(value) ? new URL(value) : undefined
    return url?.protocol === 'http:' || url?.protocol === 'https:'
  }),
)

const bounds = { maxRequestBytes: optional(bytes), stallMs: optional(milliseconds) }

const local = members<LocalIpfsConfig>('{ backend: "local", dir?, gateways? }', {
  backend: leaf(oneOf('local')),
  dir: optional(leaf(text('the path of a folder', /^[^\0]+$/))),
  gateways: optional(list(httpUrl)),
  direct: optional(leaf(boolean)),
  collectEveryMs: optional(milliseconds),
  ...bounds,
})

const kubo = members<KuboIpfsConfig>('{ backend: "kubo", url }', {
  backend: leaf(oneOf('kubo')),
  url: httpUrl,
  ...bounds,
})

const either = 'an object whose backend is "local" or "kubo"'

/** What {@link IpfsConfig} describes. */
export const ipfsShape: Shape<IpfsConfig> = {
  expected: either,
  faults(value, path) {
    if (!isObject(value)) return [{ path, expected: either, got: 'something else' }]
    if (value['backend'] === 'local') return local.faults(value, path)
    if (value['backend'] === 'kubo') return kubo.faults(value, path)
    return [{ path: [...path, 'backend'], expected: '"local" or "kubo"', got: 'another value' }]
  },
}

export const projectIpfsShape: Shape<ProjectIpfsConfig> = members<ProjectIpfsConfig>(
  '{ storedBytes?, uploadBytes?, downloadBytes? }',
  { storedBytes: optional(quota), uploadBytes: optional(quota), downloadBytes: optional(quota) },
)
