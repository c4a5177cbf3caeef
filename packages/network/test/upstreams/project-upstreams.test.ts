import { createContext, rawJsonFromValue, type RpcHandler, systemClock } from '@wayleave/jsonrpc-core'
import { describe, expect, it } from 'vitest'
import { evm } from '../../src/kinds/evm.ts'
import { streamTenant } from '../../src/hints/stream-tenant.ts'
import { createPipeline } from '../../src/pipeline.ts'
import {
  projectUpstreams,
  type ProjectUpstreams,
  showsUpstream,
  upstreamGroups,
} from '../../src/upstreams/project-upstreams.ts'
import { call } from '../support.ts'

const upstreams = ['https://a']
const projects = [
  { name: 'open' },
  { name: 'renamed', id: 'paying', upstreams: ['paid', 'own'], showUpstream: true },
  { name: 'other', upstreams: ['paid', 'own'] },
  { name: 'cheap', upstreams: ['own'], showUpstream: false },
]

it('the groups of a project are found by its id, and the gateway itself has none', () => {
  const groups = projectUpstreams({ projects }, { upstreams }).reads
  expect(['open', 'paying', 'renamed', undefined].map((tenant) => groups(tenant))).toEqual([
    undefined,
    ['paid', 'own'],
    undefined,
    undefined,
  ])
  expect(projectUpstreams({}, { upstreams }).writes('open')).toBeUndefined()
})

it('the streams of projects with the same groups have a tenant with these groups', () => {
  const groups = projectUpstreams({ projects }, { upstreams }).reads
  expect(groups(streamTenant(['paid', 'own']))).toEqual(['paid', 'own'])
  expect(groups(streamTenant(['paid']))).toBeUndefined()
})

describe('a private upstream', () => {
  const network = {
    upstreams: [
      { url: 'https://a', groups: ['own'] },
      { url: 'https://b', groups: ['own'], private: true },
      { url: 'https://c', private: true },
    ],
  }
  const given = projectUpstreams(
    {
      projects: [
        { name: 'open' },
        { name: 'cheap', upstreams: ['own'] },
        { name: 'hidden', transactions: 'private' },
        { name: 'hidden own', upstreams: ['own'], transactions: 'private' },
      ],
    },
    network,
  )
  const groups = upstreamGroups(network)
  const usable = (wanted: readonly string[] | undefined): string =>
    ['a', 'b', 'c']
      .filter((_, i) => wanted === undefined || wanted.some((group) => groups[i]!.includes(group)))
      .join('')

  it.each([
    [undefined, 'a', 'a'],
    ['open', 'a', 'a'],
    ['stored', 'a', 'a'],
    ['cheap', 'a', 'a'],
    ['hidden', 'abc', 'bc'],
    ['hidden own', 'ab', 'b'],
  ])('is asked for calls of projects with private transactions, which go nowhere else: %s', (tenant, reads, writes) => {
    expect([usable(given.reads(tenant)), usable(given.writes(tenant))]).toEqual([reads, writes])
    expect(given.reads(tenant)).toBe(given.reads(tenant))
    expect(usable(given.reads(streamTenant(given.reads(tenant)!)))).toBe(reads)
    expect(given.isPrivate(tenant)).toBe(tenant?.startsWith('hidden') === true)
  })

  it('is needed to send private transactions', () => {
    const bare = projectUpstreams({ projects: [{ name: 'p', transactions: 'private' }] }, { upstreams })
    expect([bare.reads('p'), bare.writes('p')]).toEqual([undefined, ['(private)']])
  })

  it('shares no read of a project with private transactions with others', async () => {
    expect(await askedFor(given.reads, ['open', 'cheap', 'hidden', 'hidden own'])).toEqual([
      'open',
      'cheap',
      'hidden',
      'hidden own',
    ])
  })
})

it('upstreams are named to the callers of projects that say so', () => {
  const shows = showsUpstream({ projects })
  expect(['open', 'paying', 'cheap', undefined].map((tenant) => shows(tenant))).toEqual([false, true, false, false])
})

describe('a read in flight', () => {
  it('is shared by projects of the same groups alone', async () => {
    const tenants = ['open', 'paying', 'cheap', 'other', 'open']
    expect(await askedFor(projectUpstreams({ projects }, { upstreams }).reads, tenants)).toEqual([
      'open',
      'paying',
      'cheap',
    ])
  })

  it('is shared by all where no project has groups', async () => {
    expect(await askedFor(projectUpstreams({}, { upstreams }).reads, ['open', 'paying'])).toEqual(['open'])
    expect(await askedFor(undefined, ['open', 'paying'])).toEqual(['open'])
  })
})

async function askedFor(given: ProjectUpstreams['reads'] | undefined, tenants: readonly string[]) {
  const asked: (string | undefined)[] = []
  const pool: RpcHandler = async (_request, { tenant }) => {
    asked.push(tenant)
    await new Promise((resolve) => setImmediate(resolve))
    return { result: rawJsonFromValue(1) }
  }
  const { calls, nodes } = createPipeline({
    kind: evm,
    pool: { asking: pool },
    canPush: false,
    rollupNode: undefined,
    rollupMode: undefined,
    maxSharedBytes: 1_000,
    clock: systemClock,
    ...(given && { groupsOf: given }),
  })
  const answers = tenants.map((tenant) => calls(call('eth_chainId'), createContext({ tenant })))
  await Promise.all([...answers, nodes(call('eth_chainId'), createContext())])
  return asked
}
