import type { Socket } from 'node:net'
import { createAuthenticator, createMemoryKeyStore, parseAddressRange, sha256Hex } from '@wayleave/auth'
import { describe, expect, it } from 'vitest'
import { createAdmission, type GasTarget } from '../src/admission.ts'
import type { Denial } from '../src/denial.ts'
import type { CallRoute } from '../src/routes/route.ts'
import { createRouteReader } from '../src/routes/route.ts'
import type { Network } from '../src/served-network.ts'
import { basic, closedKey, elsewhereKey, key, secret } from './support.ts'
import { readHead } from '../src/request-head.ts'

const network = (name: string): Network => ({ name }) as Network
const keys = createMemoryKeyStore([
  { id: 'p-1', name: 'open', keys: [{ key, secret }] },
  { id: 'p-2', name: 'closed', requireSecret: true, keys: [{ key: closedKey, secret }] },
  { id: 'p-3', name: 'elsewhere', networks: ['other'], keys: [{ key: elsewhereKey }] },
  { id: 'p-4', name: 'ruled', rules: { sources: ['192.0.2.0/24'] }, keys: [{ key: 'ruled-key', secret }] },
])
const denials: Denial[] = []
const refusals: string[] = []
const admission = createAdmission({
  networks: new Map(['mainnet', 'other'].map((name) => [name, network(name)])),
  defaultNetwork: 'mainnet',
  absentNetworks: new Map([['starknet-dev', 'it needs a devnet']]),
  authenticate: createAuthenticator({ keys }),
  route: createRouteReader(['mainnet', 'other'], []),
  sha256: sha256Hex,
  onlyLocal: true,
  trustedProxies: [parseAddressRange('192.0.2.7')!],
  noteDenial: (denial) => denials.push(denial),
  noteRefusal: ({ refused }) => refusals.push(refused),
})
const from = { socket: { remoteAddress: '192.0.2.7' } as Socket, traceId: 't' }
const headOf = (headers: Record<string, string> = {}) =>
  readHead(Object.entries({ Host: 'localhost', ...headers }).flat())
const call = (kind: 'rpc' | 'ws', withKey: string | undefined, name?: string): CallRoute => ({
  kind,
  network: name,
  key: withKey,
})
const gas = (withKey: string | undefined, networks: readonly string[], isPublic = false): GasTarget => ({
  kind: 'gas',
  key: withKey,
  networks,
  isPublic,
})

describe('admission', () => {
  it('makes one principal of a caller, by whichever API he comes', async () => {
    const authorization = basic(key, secret)
    const head = headOf({ Origin: 'http://localhost:3000', 'User-Agent': 'viem/2', Authorization: authorization })
    const principal = {
      project: { id: 'p-1', name: 'open', requireSecret: false },
      keyId: expect.stringMatching(/^[\da-f]{8}$/) as string,
      address: '192.0.2.7',
      origin: 'http://localhost:3000',
      userAgent: 'viem/2',
    }
    const admitted = [
      await admission.admitCall(call('rpc', key), head, from),
      await admission.admitCall(call('ws', key), head, from),
      await admission.admit(gas(key, ['mainnet']), head, from),
      await admission.admit(gas(undefined, ['mainnet']), head, from),
      await admission.admit({ kind: 'ipfs' }, head, from),
    ]
    for (const each of admitted) expect(each).toMatchObject({ principal })
  })

  it("refuses a network that is not the project's, but leaves a call over HTTP to the stage that knows its id", async () => {
    denials.length = 0
    const denied = { refused: 'denied_network', network: 'mainnet' }
    expect(await admission.admitCall(call('ws', elsewhereKey), headOf(), from)).toEqual(denied)
    expect(await admission.admit(gas(elsewhereKey, ['mainnet', 'twin']), headOf(), from)).toEqual(denied)
    expect(await admission.admit(gas(elsewhereKey, ['mainnet', 'other']), headOf(), from)).toHaveProperty('principal')
    expect(await admission.admitCall(call('ws', elsewhereKey, 'other'), headOf(), from)).toHaveProperty('principal')
    expect(denials).toMatchObject(
      ['ws', 'gas'].map(() => ({
        reason: 'network',
        traceId: 't',
        network: 'mainnet',
        principal: { project: { id: 'p-3' } },
      })),
    )
    expect(await admission.admitCall(call('rpc', elsewhereKey), headOf(), from)).toMatchObject({
      principal: { project: { name: 'elsewhere' } },
      denied: 'network',
    })
    expect(denials).toHaveLength(2)
  })

  it('refuses a caller whom a rule denies, in the same way in every API, and tells the log alone which one it is', async () => {
    denials.length = 0
    const head = headOf({ 'X-Forwarded-For': '198.51.100.1', Authorization: basic('ruled-key', secret) })
    const denied = { refused: 'denied' }
    expect(await admission.admitCall(call('ws', 'ruled-key'), head, from)).toEqual(denied)
    expect(await admission.admit(gas('ruled-key', ['mainnet']), head, from)).toEqual(denied)
    expect(await admission.admit({ kind: 'ipfs' }, head, from)).toEqual(denied)
    expect(denials.map(({ reason, principal }) => [reason, principal.address])).toEqual(
      Array.from({ length: 3 }, () => ['source', '198.51.100.1']),
    )
    expect(await admission.admitCall(call('rpc', 'ruled-key'), head, from)).toMatchObject({ denied: 'source' })
    expect(denials).toHaveLength(3)
  })

  it('reads several lines of X-Forwarded-For as one list, whose last address counts', async () => {
    const admittedFrom = async (...lines: readonly string[]): Promise<unknown> => {
      const forwarded = lines.flatMap((line) => ['X-Forwarded-For', line])
      const head = readHead(['Host', 'localhost', 'Authorization', basic('ruled-key', secret), ...forwarded])
      const admitted = await admission.admit({ kind: 'ipfs' }, head, from)
      return 'refused' in admitted ? admitted.refused : admitted.principal.address
    }
    expect(await admittedFrom('198.51.100.1', '192.0.2.9')).toBe('192.0.2.9')
    expect(await admittedFrom('192.0.2.9', '198.51.100.1')).toBe('denied')
    expect(await admittedFrom('192.0.2.9', '198.51.100.1, 192.0.2.7', '192.0.2.7')).toBe('denied')
  })

  it('takes the key of X-Api-Key in the place of the one in the path, and refuses two that differ', async () => {
    const ask = (head: Record<string, string>, pathKey?: string) =>
      Promise.all([
        admission.admitCall(call('rpc', pathKey), headOf(head), from),
        admission.admitCall(call('ws', pathKey), headOf(head), from),
        admission.admit(gas(pathKey, ['mainnet']), headOf(head), from),
      ])
    for (const found of [await ask({ 'X-Api-Key': key }), await ask({ 'x-api-key': key }, key)]) {
      expect(found).toMatchObject(found.map(() => ({ principal: { project: { id: 'p-1' } } })))
    }
    expect(await ask({ 'X-Api-Key': key }, closedKey)).toEqual([1, 2, 3].map(() => ({ refused: 'two_keys' })))
    expect(await ask({ 'X-Api-Key': '' })).toEqual([1, 2, 3].map(() => ({ refused: 'no_key' })))
    const twice = readHead(['Host', 'localhost', 'X-Api-Key', key, 'x-api-key', closedKey])
    expect(await admission.admitCall(call('rpc', undefined), twice, from)).toEqual({ refused: 'two_keys' })
    expect(await admission.admit({ kind: 'ipfs' }, twice, from)).toEqual({ refused: 'two_keys' })
  })

  it('looks for the network before it looks at the key, and says why one is absent', async () => {
    const refusal = (name: string) => admission.admitCall(call('rpc', 'nobody', name), headOf(), from)
    expect(await refusal('nowhere')).toEqual({ refused: 'unknown_network', network: 'nowhere', why: undefined })
    expect(await refusal('starknet-dev')).toMatchObject({ why: 'it needs a devnet' })
    expect(await refusal('other')).toMatchObject({ refused: 'unknown_key' })
  })

  it('asks the gas API for a key unless the answer is public, and takes an empty password for none', async () => {
    expect(await admission.admit(gas(undefined, [], true), headOf(), from)).toMatchObject({
      principal: { project: { name: 'anybody' }, keyId: '' },
    })
    expect(await admission.admit(gas(undefined, ['mainnet']), headOf(), from)).toEqual({ refused: 'no_key' })
    const ask = (user: string, password: string) =>
      admission.admit(gas(undefined, ['mainnet']), headOf({ Authorization: basic(user, password) }), from)
    expect(await ask(key, '')).toHaveProperty('principal')
    expect(await ask(closedKey, '')).toMatchObject({ refused: 'secret_required' })
    expect(await ask(key, 'wrong')).toMatchObject({ refused: 'wrong_secret' })
  })

  it('asks the IPFS API for key and secret', async () => {
    const ask = (authorization?: string) =>
      admission.admit(
        { kind: 'ipfs' },
        headOf(authorization === undefined ? {} : { Authorization: authorization }),
        from,
      )
    expect(await ask()).toEqual({ refused: 'no_key' })
    expect(await ask('Bearer x')).toMatchObject({ refused: 'wrong_secret' })
    expect(await ask(basic(key, ''))).toMatchObject({ refused: 'wrong_secret' })
    expect(await ask(basic('nobody', secret))).toMatchObject({ refused: 'unknown_key' })
    const withKey = (authorization: Record<string, string>) =>
      admission.admit({ kind: 'ipfs' }, headOf({ 'X-Api-Key': key, ...authorization }), from)
    expect(await withKey({})).toMatchObject({ refused: 'wrong_secret' })
    expect(await withKey({ Authorization: basic('', secret) })).toHaveProperty('principal')
    expect(await withKey({ Authorization: basic(closedKey, secret) })).toMatchObject({ refused: 'wrong_secret' })
    expect(await withKey({ Authorization: 'Bearer x' })).toMatchObject({ refused: 'wrong_token' })
  })

  it('refuses two hosts, two origins and, where it serves this machine only, names and pages of elsewhere', () => {
    expect(admission.refuseHead(headOf())).toBeUndefined()
    expect(admission.refuseHead(readHead(['Host', 'a', 'host', 'b']))).toEqual({ refused: 'two_hosts' })
    expect(admission.refuseHead(readHead(['Host', 'a', 'Origin', 'b', 'origin', 'b']))).toEqual({
      refused: 'two_origins',
    })
    expect(admission.refuseHead(headOf({ Host: 'evil.example' }))).toEqual({ refused: 'foreign' })
    expect(admission.refuseHead(headOf({ Origin: 'https://evil.example' }))).toEqual({ refused: 'foreign' })
  })

  it('tells the reason of each refusal once, and of nothing else', async () => {
    refusals.length = 0
    admission.refuseHead(headOf())
    admission.refuseHead(headOf({ Origin: 'https://evil.example' }))
    admission.route('/nowhere', headOf())
    admission.route(`/v3/${key}`, headOf())
    await admission.admitCall(call('rpc', key), headOf(), from)
    await admission.admitCall(call('rpc', key, 'nowhere'), headOf(), from)
    await admission.admitCall(call('rpc', undefined), headOf(), from)
    await admission.admitCall(call('ws', 'nobodys-key'), headOf(), from)
    await admission.admitCall(call('rpc', closedKey), headOf(), from)
    await admission.admitCall(call('rpc', 'ruled-key'), headOf({ 'X-Forwarded-For': '203.0.113.1' }), from)
    await admission.admitCall(call('ws', 'ruled-key'), headOf({ 'X-Forwarded-For': '203.0.113.1' }), from)
    await admission.admitCall(call('rpc', elsewhereKey), headOf(), from)
    await admission.admitCall(call('ws', elsewhereKey), headOf(), from)
    await admission.admit(gas(elsewhereKey, ['mainnet']), headOf(), from)
    await admission.admit({ kind: 'ipfs' }, headOf({ Authorization: basic(key, 'x') }), from)
    expect(refusals).toEqual([
      'foreign',
      'lost',
      'unknown_network',
      'no_key',
      'unknown_key',
      'secret_required',
      'denied',
      'denied',
      'denied_network',
      'denied_network',
      'denied_network',
      'wrong_secret',
    ])
  })
})
