import { FakeClock } from '@wayleave/jsonrpc-core/testing'
import { describe, expect, it } from 'vitest'
import type { Principal } from '../src/principal.ts'
import { createSessions, type Session } from '../src/sessions.ts'
import { principalOf } from './support.ts'

function scene() {
  const clock = new FakeClock()
  const sessions = createSessions(clock)
  const expired: string[] = []
  function open(name: string, more: Partial<Principal> = {}, project = 'p'): Session {
    const principal = { ...principalOf({ id: project, name: project, requireSecret: false }), ...more }
    const session = { principal, expire: () => void expired.push(name) }
    sessions.add(session)
    return session
  }
  return { clock, sessions, expired, open }
}

describe('a session', () => {
  it('ends within a second of its key, secret or token, by one timer for all', () => {
    const { clock, expired, open } = scene()
    const now = clock.date()
    open('soon', { expiresAt: now + 1_500 })
    open('later', { expiresAt: now + 5_000 })
    open('never')
    expect(clock.timers).toBe(1)
    clock.advance(1_499)
    expect(expired).toEqual([])
    clock.advance(1_000)
    expect(expired).toEqual(['soon'])
    clock.advance(60_000)
    expect(expired).toEqual(['soon', 'later'])
    expect(clock.timers).toBe(0)
  })

  it('that has left is not ended, and leaves no timer', () => {
    const { clock, sessions, expired, open } = scene()
    const session = open('left', { expiresAt: clock.date() + 1_500 })
    sessions.remove(session)
    expect(clock.timers).toBe(0)
    sessions.revoke({ kind: 'revoked', projectId: 'p', keyId: undefined })
    expect(expired).toEqual([])
  })

  it('is withdrawn with its network, and those of other networks or of none go on', () => {
    const { sessions } = scene()
    const withdrawn: string[] = []
    const principal = principalOf({ id: 'p', name: 'p', requireSecret: false })
    const expire = (): void => {}
    for (const network of ['mainnet', 'other']) {
      sessions.add({ principal, expire, network, withdraw: () => void withdrawn.push(network) })
    }
    sessions.add({ principal, expire })
    sessions.withdraw('mainnet')
    sessions.withdraw('mainnet')
    expect(withdrawn).toEqual(['mainnet'])
  })

  it('ends when its key or its project is revoked or changed, and no other does', () => {
    const { sessions, expired, open } = scene()
    open('first', { keyId: 'k1' })
    open('second', { keyId: 'k2' })
    open('third', { keyId: 'k1' }, 'q')
    sessions.revoke({ kind: 'revoked', projectId: 'p', keyId: 'k1' })
    expect(expired).toEqual(['first'])
    sessions.revoke({ kind: 'amended', projectId: 'p', keyId: undefined })
    expect(expired).toEqual(['first'])
    sessions.revoke({ kind: 'changed', projectId: 'p', keyId: undefined })
    expect(expired).toEqual(['first', 'second'])
    sessions.revoke({ kind: 'changed', projectId: 'p', keyId: undefined })
    expect(expired).toEqual(['first', 'second'])
  })
})
