import type { Socket } from 'node:net'
import { createAuthenticator, createMemoryKeyStore } from '@wayleave/auth'
import { describe, expect, it } from 'vitest'
import { createAdmission, type GasTarget } from '../src/admission.ts'
import { readHead } from '../src/http/head.ts'
import type { CallRoute } from '../src/routes/route.ts'
import { createRouteReader } from '../src/routes/route.ts'
import type { Network } from '../src/rpc/network.ts'
import { basic, closedKey, elsewhereKey, key, secret } from './support.ts'

const network = (name: string): Network => ({ name }) as Network
const keys = createMemoryKeyStore([
  { id: 'p-1', name: 'open', keys: [{ key, secret }] },
  { id: 'p-2', name: 'closed', requireSecret: true, keys: [{ key: closedKey, secret }] },
  { id: 'p-3', name: 'elsewhere', networks: ['other'], keys: [{ key: elsewhereKey }] },
])
const admission = createAdmission({
  networks: new Map(['mainnet', 'other'].map((name) => [name, network(name)])),
  defaultNetwork: 'mainnet',
  absentNetworks: new Map([['starknet-dev', 'it needs a devnet']]),
  authenticate: createAuthenticator({ keys }),
  route: createRouteReader(['mainnet', 'other'], []),
  onlyLocal: true,
})
const socket = { remoteAddress: '192.0.2.7' } as Socket
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
      await admission.admitCall(call('rpc', key), head, socket),
      await admission.admitCall(call('ws', key), head, socket),
      await admission.admit(gas(key, ['mainnet']), head, socket),
      await admission.admit(gas(undefined, ['mainnet']), head, socket),
      await admission.admit({ kind: 'ipfs' }, head, socket),
    ]
    for (const each of admitted) expect(each).toMatchObject({ principal })
  })

  it("refuses a network that is not the project's, but leaves a call over HTTP to the stage that knows its id", async () => {
    const denied = { refused: 'denied_network', network: 'mainnet' }
    expect(await admission.admitCall(call('ws', elsewhereKey), headOf(), socket)).toEqual(denied)
    expect(await admission.admit(gas(elsewhereKey, ['mainnet', 'twin']), headOf(), socket)).toEqual(denied)
    expect(await admission.admit(gas(elsewhereKey, ['mainnet', 'other']), headOf(), socket)).toHaveProperty('principal')
    expect(await admission.admitCall(call('ws', elsewhereKey, 'other'), headOf(), socket)).toHaveProperty('principal')
    expect(await admission.admitCall(call('rpc', elsewhereKey), headOf(), socket)).toHaveProperty('principal')
  })

  it('looks for the network before it looks at the key, and says why one is absent', async () => {
    const refusal = (name: string) => admission.admitCall(call('rpc', 'nobody', name), headOf(), socket)
    expect(await refusal('nowhere')).toEqual({ refused: 'unknown_network', network: 'nowhere', why: undefined })
    expect(await refusal('starknet-dev')).toMatchObject({ why: 'it needs a devnet' })
    expect(await refusal('other')).toEqual({ refused: 'unknown_key' })
  })

  it('asks the gas API for a key unless the answer is public, and takes an empty password for none', async () => {
    expect(await admission.admit(gas(undefined, [], true), headOf(), socket)).toMatchObject({
      principal: { project: { name: 'anybody' }, keyId: '' },
    })
    expect(await admission.admit(gas(undefined, ['mainnet']), headOf(), socket)).toEqual({ refused: 'no_key' })
    const ask = (user: string, password: string) =>
      admission.admit(gas(undefined, ['mainnet']), headOf({ Authorization: basic(user, password) }), socket)
    expect(await ask(key, '')).toHaveProperty('principal')
    expect(await ask(closedKey, '')).toEqual({ refused: 'secret_required' })
    expect(await ask(key, 'wrong')).toEqual({ refused: 'wrong_secret' })
  })

  it('asks the IPFS API for key and secret', async () => {
    const ask = (authorization?: string) =>
      admission.admit(
        { kind: 'ipfs' },
        headOf(authorization === undefined ? {} : { Authorization: authorization }),
        socket,
      )
    expect(await ask()).toEqual({ refused: 'no_key' })
    expect(await ask('Bearer x')).toEqual({ refused: 'wrong_secret' })
    expect(await ask(basic(key, ''))).toEqual({ refused: 'wrong_secret' })
    expect(await ask(basic('nobody', secret))).toEqual({ refused: 'unknown_key' })
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
})
