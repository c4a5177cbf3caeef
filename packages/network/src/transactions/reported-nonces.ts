import type { Clock, RpcRequest, RpcResponse } from '@wayleave/jsonrpc-core'
import { nonceForMs, type SharedView } from '@wayleave/stores/shared-state'
import type { Log } from '@wayleave/telemetry'
import type { NetworkKind } from '../kinds/network-kind.ts'
import type { ProjectUpstreams } from '../upstreams/project-upstreams.ts'
import { type AcceptedTransaction, createSentNonces, type SentNonces } from './sent-nonces.ts'

/** The nonces that callers were told, or that follow from what was accepted for them. */
export interface ReportedNonces {
  /** Names the transactions that the nonce of an answer takes back, for people; undefined: it takes back none. */
  takenBack(request: RpcRequest, response: RpcResponse): string | undefined
  /**
   * Looks whether transactions from the pending nonce of an answer on were accepted, so that {@link ToldNonces.takenBack} knows, and answers
   * with the calls that send them again, as no upstream may have them; undefined: there is nothing to look for.
   */
  overtaken(
    request: RpcRequest,
    response: RpcResponse,
    tenant: string | undefined,
  ): Promise<readonly RpcRequest[]> | undefined
  /**
   * Takes note of the nonce after a transaction that an answer accepts, where other processes share what callers are told: the next call may come
   * to one of these. It is looked for, and not insisted on. Resolves when it is noted; undefined: there is nothing to note.
   */
  accepted(request: RpcRequest, response: RpcResponse, tenant: string | undefined): Promise<void> | undefined
  /** Whether an answer that takes something back may be given all the same, where no upstream has a better one in time. */
  mayPass(request: RpcRequest, response: RpcResponse): boolean
  /** Takes note of an answer, and of who wrote. */
  answered(request: RpcRequest, response: RpcResponse, tenant: string | undefined): void
  /** Whether an answer tells a nonce, and one that is below what callers were told meanwhile; undefined: it tells none. */
  isOutdated(request: RpcRequest, response: RpcResponse): boolean | undefined
  /** Whether a tenant may have calls on their way that are not pinned, as it has written. */
  hasWritten(tenant: string | undefined): boolean
  /** Recovers the sender of a signed transaction; undefined where one node is all there is. */
  readonly recover: SentNonces['recover'] | undefined
}

export interface ReportedNoncesOptions {
  readonly network: string
  readonly kind: Pick<NetworkKind, 'nonceOf' | 'signing' | 'headAfter'>
  /** Whether one node is all there is, so that nobody else could have what it lacks. */
  readonly isAlone: boolean
  readonly projects: ProjectUpstreams
  readonly reported: SharedView
  readonly clock: Clock
  readonly log: Pick<Log, 'repeats'>
}

/** Time after a write of a tenant in which its calls may not be pinned: a second in which they are not, and one for those on their way. */
const afterWriteMs = 2_000
const mostTenants = 1_000
/** Least time between two attempts to give nodes a transaction that they lack, in ms. */
const repeatEveryMs = 1_000
/** The name under which the nonce after an accepted transaction is kept, apart from nonces that callers were told. */
const acceptedOf = (sender: string): string => `accepted ${sender}`

export function createReportedNonces({
  network,
  kind,
  isAlone,
  projects,
  reported,
  clock,
  log,
}: ReportedNoncesOptions): ReportedNonces {
  const { signing } = kind
  const sent = isAlone || signing === undefined ? undefined : createSentNonces({ signing, clock, forMs: nonceForMs })
  /** When tenants wrote last, the one that wrote last at the end. */
  const writtenAt = new Map<string, number>()

  /** The pending nonce of a sender that callers were told, or that follows from what other processes have accepted. */
  function nonceOf(sender: string): number {
    const now = clock.now()
    return Math.max(reported.nonceOf(sender, now), reported.nonceOf(acceptedOf(sender), now))
  }

  function wrote(tenant = ''): void {
    writtenAt.delete(tenant)
    if (writtenAt.size >= mostTenants) writtenAt.delete(writtenAt.keys().next().value!)
    writtenAt.set(tenant, clock.now())
  }

  /** Raises the nonce of a sender above transactions that were accepted; the calls to send them again, but for what was sent just now. */
  function lacking(
    sender: string,
    accepted: readonly AcceptedTransaction[],
    tenant: string | undefined,
  ): readonly RpcRequest[] {
    for (const { nonce, at } of accepted) reported.raiseNonce(sender, nonce + 1, at)
    const now = clock.now()
    // Transactions go only to upstreams that their own project may use.
    const due = accepted.filter(
      ({ groups, repeatedAt }) =>
        groups === projects.reads(tenant) && (repeatedAt === undefined || now - repeatedAt >= repeatEveryMs),
    )
    for (const transaction of due) transaction.repeatedAt = now
    const text = 'no upstream has transactions that one accepted; they are sent again'
    if (due.length > 0) log.repeats.warn(['lost', network], { network }, text)
    return due.map(({ raw }) => signing!.sending(raw))
  }

  return {
    answered(request, response, tenant) {
      if (kind.headAfter !== undefined && signing?.acceptedBy(request, response) !== undefined) wrote(tenant)
      // Others must not learn of private transactions, nor wait for them, nor be asked elsewhere for them.
      if (projects.isPrivate(tenant)) return
      const nonce = kind.nonceOf?.(request, response)
      if (nonce !== undefined) reported.raiseNonce(nonce.sender, nonce.nonce, clock.now())
      else sent?.answered(request, response, projects.reads(tenant))
    },
    takenBack(request, response) {
      const nonce = kind.nonceOf?.(request, response)
      const last = nonce && nonceOf(nonce.sender)
      return nonce && nonce.nonce < last! ? `the transactions of this sender up to nonce ${last}` : undefined
    },
    isOutdated(request, response) {
      const nonce = kind.nonceOf?.(request, response)
      return nonce && nonce.nonce < nonceOf(nonce.sender)
    },
    mayPass(request, response) {
      const nonce = kind.nonceOf?.(request, response)
      return nonce !== undefined && nonce.nonce >= reported.nonceOf(nonce.sender, clock.now())
    },
    overtaken(request, response, tenant) {
      const next = sent && kind.nonceOf?.(request, response)
      return next && sent.from(next.sender, next.nonce)?.then((found) => lacking(next.sender, found, tenant))
    },
    accepted(request, response, tenant) {
      if (reported.settled === undefined || projects.isPrivate(tenant)) return undefined
      return sent?.senderOf(request, response)?.then((next) => {
        if (next === undefined) return
        const { sender, nonce, at } = next
        // Nodes keep one beyond a gap as well, and it counts for nothing yet.
        if (nonceOf(sender) === nonce) reported.raiseNonce(acceptedOf(sender), nonce + 1, at)
      })
    },
    recover: sent?.recover,
    hasWritten: (tenant = '') => clock.now() - (writtenAt.get(tenant) ?? Number.NEGATIVE_INFINITY) < afterWriteMs,
  }
}
