import type { Project } from './project.ts'
import { isInRanges } from './rules/address-range.ts'
import { matchesOrigin } from './rules/origin-pattern.ts'
import { canonicalAddress, type Rules } from './rules/rules.ts'

/**
 * The list that a request did not pass: for the log and metrics. A caller is told no more than that they were refused, or they could
 * find out the lists.
 *
 * - `network`: none of the networks is the project's.
 * - `source`: their IP address.
 * - `origin`: the page's origin, or there is none.
 * - `user_agent`: their user agent, or there is none.
 * - `method`: the method of a call.
 * - `address`: a contract address of a call, or a call that leaves its address open.
 */
export type DenialReason = 'network' | 'source' | 'origin' | 'user_agent' | 'method' | 'address'

/** The answer of an access check. */
export type Decision =
  | { readonly allowed: true; readonly reason?: undefined }
  | { readonly allowed: false; readonly reason: DenialReason }

/** A project, and the rules that hold for one caller of it: what authentication found. */
export interface AccessGrant {
  readonly project: Project
  /** Undefined: all pass. */
  readonly rules?: Rules | undefined
}

/** A request or a connection, before any call of it was read. */
export interface AccessRequest {
  /** Slugs of the networks of which the project must be allowed one; empty where that is not decided here. */
  readonly networks: readonly string[]
  /** IP address of the caller. */
  readonly source: string
  /** The `Origin` header. */
  readonly origin: string | undefined
  readonly userAgent: string | undefined
}

/** Checks callers and calls against the rules of their projects. */
export interface AccessCheck<Call> {
  /** Decides once for a request or a connection. */
  decideRequest(grant: AccessGrant, request: AccessRequest): Decision
  /** Decides for each call. */
  decideCall(grant: AccessGrant, call: Call): Decision
}

export interface AccessCheckOptions<Call> {
  /**
   * Finds the contract addresses in a call. Undefined: its method has no place for one, and the list does not concern it. Empty: it has,
   * but leaves open which (logs of every contract, members that are ambiguous, overrides of code), so that no list allows it. It is asked only where
   * there is a list.
   */
  readonly addressesOf: (call: Call) => readonly string[] | undefined
}

const allowed: Decision = { allowed: true }
const denied: Readonly<Record<DenialReason, Decision>> = {
  network: { allowed: false, reason: 'network' },
  source: { allowed: false, reason: 'source' },
  origin: { allowed: false, reason: 'origin' },
  user_agent: { allowed: false, reason: 'user_agent' },
  method: { allowed: false, reason: 'method' },
  address: { allowed: false, reason: 'address' },
}

/** Creates an access check. It holds no state, and allocates nothing where no address is looked for. */
export function createAccessCheck<Call extends { readonly method: string }>({
  addressesOf,
}: AccessCheckOptions<Call>): AccessCheck<Call> {
  return {
    decideRequest({ project, rules }, { networks, source, origin, userAgent }) {
      const mine = project.networks
      if (mine !== undefined && networks.length > 0 && !networks.some((name) => mine.includes(name)))
        return denied.network
      if (rules === undefined) return allowed
      if (rules.sources !== undefined && !isInRanges(rules.sources, source)) return denied.source
      if (rules.origins !== undefined && (origin === undefined || !matchesOrigin(rules.origins, origin)))
        return denied.origin
      if (rules.userAgents !== undefined && !rules.userAgents.some((part) => userAgent?.includes(part) === true)) {
        return denied.user_agent
      }
      return allowed
    },
    decideCall({ rules }, call) {
      if (rules === undefined) return allowed
      if (rules.methods !== undefined && !rules.methods.has(call.method)) return denied.method
      const { addresses } = rules
      if (addresses === undefined) return allowed
      const asked = addressesOf(call)
      if (asked === undefined) return allowed
      return asked.length > 0 && asked.every((address) => isListed(addresses, address)) ? allowed : denied.address
    },
  }
}

function isListed(addresses: ReadonlySet<string>, address: string): boolean {
  // Nearly all clients write the canonical form.
  if (addresses.has(address)) return true
  const canonical = canonicalAddress(address)
  return canonical !== undefined && addresses.has(canonical)
}
