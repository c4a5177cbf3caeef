import type { AccountEvent } from '@wayleave/auth'
import type { Clock } from '@wayleave/jsonrpc-core'
import type { SessionKeeper, Session as AnySession } from '@wayleave/http-server'
import type { Principal } from './principal.ts'

/** A session of a caller who was admitted. */
export type Session = AnySession<Principal>

/** The sessions of a gateway. */
export interface Sessions extends SessionKeeper<Principal> {
  /** Expires the sessions of a key, or of all keys of a project, unless they are as they were admitted. */
  revoke(event: AccountEvent): void
  /** Ends the sessions of a network that is not served any more. */
  withdraw(network: string): void
}

/** Time between two looks, in ms. */
const everyMs = 1_000

/** Expires each session within a second of the end of its key, secret or token. No timer runs where none of them has an end. */
export function createSessions(clock: Clock): Sessions {
  /** By the ids of their projects. */
  const all = new Map<string, Set<Session>>()
  const ending = new Set<Session>()
  let stop: (() => void) | undefined

  function look(): void {
    stop = clock.after(everyMs, look)
    const now = clock.date()
    for (const session of ending) if (session.principal.expiresAt! <= now) expire(session)
  }

  function expire(session: Session): void {
    remove(session)
    session.expire()
  }

  function remove(session: Session): void {
    const { id } = session.principal.project
    const ofProject = all.get(id)
    if (ofProject?.delete(session) === true && ofProject.size === 0) all.delete(id)
    if (!ending.delete(session) || ending.size > 0) return
    stop?.()
    stop = undefined
  }

  return {
    add(session) {
      const { project, expiresAt } = session.principal
      const ofProject = all.get(project.id)
      if (ofProject === undefined) all.set(project.id, new Set([session]))
      else ofProject.add(session)
      if (expiresAt === undefined) return
      ending.add(session)
      stop ??= clock.after(everyMs, look)
    },
    remove,
    revoke({ kind, projectId, keyId }) {
      if (kind === 'amended') return
      for (const session of all.get(projectId) ?? []) {
        if (keyId === undefined || session.principal.keyId === keyId) expire(session)
      }
    },
    withdraw(network) {
      const sessions = [...all.values()].flatMap((ofProject) => [...ofProject])
      for (const session of sessions) {
        if (session.network !== network || session.withdraw === undefined) continue
        remove(session)
        session.withdraw()
      }
    },
  }
}
