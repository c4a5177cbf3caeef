import { secp256k1 } from '@noble/curves/secp256k1.js'
import type { Authorization } from '@wayleave/evm-types'
import { describe, expect, test } from 'vitest'
import { authorizationAuthority, VerifyError } from '../src/index.ts'
import { realTransactions } from './vectors.ts'

const delegations = realTransactions().filter(({ authorities }) => authorities !== undefined)
const [genuine] = delegations[0]!.tx.authorizationList!
const order = secp256k1.Point.Fn.ORDER

describe('authorizationAuthority', () => {
  test('is who signed each entry of real delegations, for one chain and for any', () => {
    for (const { tx, authorities } of delegations) {
      expect(tx.authorizationList!.map(authorizationAuthority)).toEqual(authorities)
    }
    expect(delegations.flatMap(({ tx }) => tx.authorizationList!.map(({ chainId }) => chainId))).toContain('0x0')
  })

  test.each(['chainId', 'nonce'] as const)('is somebody else once the %s differs', (member) => {
    expect(authorizationAuthority({ ...genuine!, [member]: '0x9' })).not.toBe(delegations[0]!.authorities![0])
  })

  test('takes halves of the signature that are padded', () => {
    const { tx, authorities } = delegations[0]!
    const [entry] = tx.authorizationList!
    const padded = { ...entry!, s: `0x${entry!.s.slice(2).padStart(64, '0')}` } as const
    expect(authorizationAuthority(padded)).toBe(authorities![0])
  })

  test.each<[string, Partial<Record<keyof Authorization, unknown>>, VerifyError['code'], string]>([
    ['a parity beyond 1', { yParity: '0x2' }, 'invalid_signature', 'yParity'],
    ['the upper half of s', { s: `0x${(order - BigInt(genuine!.s)).toString(16)}` }, 'invalid_signature', 's'],
    ['no signature', { r: '0x0', s: '0x0' }, 'invalid_signature', 's'],
    ['r of no point', { r: '0x5' }, 'invalid_signature', 'r'],
    ['a nonce that is no quantity', { nonce: '0x04' }, 'malformed', 'nonce'],
    ['no chain', { chainId: undefined }, 'malformed', 'chainId'],
    ['a short address', { address: '0x7d' }, 'malformed', 'address'],
    ['r beyond 32 bytes', { r: `0x1${'00'.repeat(32)}` }, 'malformed', 'r'],
  ])('refuses %s', (_what, members, code, field) => {
    const act = (): unknown => authorizationAuthority({ ...genuine!, ...members } as Authorization)
    expect(act).toThrow(VerifyError)
    expect(act).toThrow(expect.objectContaining({ code, field }))
  })
})
