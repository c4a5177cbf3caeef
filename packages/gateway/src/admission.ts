import type { Socket } from 'node:net'
import {
  type AddressRange,
  type Authenticate,
  type AuthFailure,
  type AuthResult,
  createAccessCheck,
  type DenialReason,
  type Digest,
  parseBasic,
} from '@wayleave/auth'
import { clientAddress } from '@wayleave/http-server'
import type { NoteDenial } from './denial.ts'
import type { NoteRefusal, RefusedRequest } from './telemetry/refusal-notes.ts'
import type { Principal } from './principal.ts'
import type { CallerRefusal, Refusal } from './refusal.ts'
import { isLocal } from './routes/local.ts'
import { rememberLast } from './routes/last-request.ts'
import type { CallRoute, LostRoute, Route } from './routes/route.ts'
import type { Network } from './served-network.ts'
import type { RequestHead } from './request-head.ts'

/**
 * The one way into the gateway, for JSON-RPC, WebSocket, gas and IPFS alike: head, route, network, principal, permission. A request is
 * an HTTP request with all calls of its body, or a whole WebSocket connection.
 */
export interface Admission {
  /** Judges a request by its head alone; undefined where nothing is wrong with it. */
  refuseHead(head: RequestHead): Refusal | undefined
  /** Reads path and host. `connection`: that of a request over HTTP, which may name the same as the one before. */
  route(url: string, head: RequestHead, connection?: object): Exclude<Route, LostRoute> | Refusal
  /** Admits a request for JSON-RPC. Synchronous where the key store is; rejects only with what that threw. */
  admitCall(route: CallRoute, head: RequestHead, source: RequestSource): Deferred<AdmittedCall | Refusal>
  /** Admits a request to the gas or the IPFS API, likewise. */
  admit(target: GasTarget | IpfsTarget, head: RequestHead, source: RequestSource): Deferred<Admitted | CallerRefusal>
}

/** The connection that a request came on, and the id under which the log knows it. */
export interface RequestSource {
  readonly socket: Socket
  readonly traceId: string
}

type Deferred<T> = T | Promise<T>

/** A request to the gas API, as far as its admission depends on it. */
export interface GasTarget {
  readonly kind: 'gas'
  /** The key of the path. */
  readonly key: string | undefined
  /** Slugs of all networks of its chain; empty where the path names no chain that is here. */
  readonly networks: readonly string[]
  /** Whether a request without any key is answered. */
  readonly isPublic: boolean
}

/** A request to the IPFS API. */
export interface IpfsTarget {
  readonly kind: 'ipfs'
}

/** An admitted request. */
export interface Admitted {
  readonly principal: Principal
}

/** An admitted request for JSON-RPC. */
export interface AdmittedCall extends Admitted {
  readonly network: Network
  /** The version of the network's interface that the path names. */
  readonly apiVersion: string | undefined
  /** The list that a request over HTTP did not pass: each of its calls is denied, under its own id. */
  readonly denied: DenialReason | undefined
}

export interface AdmissionOptions {
  readonly networks: ReadonlyMap<string, Network>
  readonly defaultNetwork: string | undefined
  /** Why a network is missing that callers may ask for, by its name. */
  readonly absentNetworks: ReadonlyMap<string, string>
  readonly authenticate: Authenticate
  readonly route: (url: string, host: string) => Route
  /** The digest by which `authenticate` finds keys. */
  readonly sha256: Digest
  /** Refuses requests of web pages and host names of elsewhere. */
  readonly onlyLocal: boolean
  /** Proxies that may tell their callers' addresses. */
  readonly trustedProxies: readonly AddressRange[]
  readonly noteDenial: NoteDenial
  /** Called with the reason of each request that is not admitted. */
  readonly noteRefusal: NoteRefusal
}

/** Creates the admission of a gateway. It holds no state but the last request of each connection. */
export function createAdmission(options: AdmissionOptions): Admission {
  const { networks, defaultNetwork, absentNetworks, authenticate, onlyLocal, trustedProxies, noteDenial } = options
  const lastOf = rememberLast(options.route, options.sha256)

  /** Counts a refusal on its way to the caller. */
  function noted<T extends object, R extends Refusal = Refusal>(result: T | R, applicant?: Applicant): T | R {
    if (!('refused' in result)) return result
    options.noteRefusal(result, applicant && refusedBy(applicant))
    return result
  }

  function refusedBy({ wanted, head, source }: Applicant): RefusedRequest {
    return { traceId: source.traceId, network: wanted[0], address: addressOf(source, head) }
  }

  function addressOf({ socket }: RequestSource, { forwardedFor }: RequestHead): string {
    return clientAddress(socket.remoteAddress, forwardedFor, trustedProxies)
  }

  /** Finds the network of a call, and the version of its interface. */
  function locate({
    network: named,
    apiVersion: segment,
  }: CallRoute): Omit<AdmittedCall, 'principal' | 'denied'> | Refusal {
    const name = named ?? defaultNetwork
    if (name === undefined) return { refused: 'no_network' }
    const network = networks.get(name)
    if (network === undefined) return { refused: 'unknown_network', network: name, why: absentNetworks.get(name) }
    if (segment === undefined) return { network, apiVersion: undefined }
    const apiVersion = network.apiVersions?.ofSegment(segment)
    return apiVersion === undefined
      ? { refused: 'unknown_api_version', network: name, segment, known: network.apiVersions?.segments }
      : { network, apiVersion }
  }

  /** Looks up who an applicant is, and decides. */
  function identify(
    credentials: Credentials,
    applicant: Applicant,
    digestOf?: Digest,
  ): Deferred<Decided | CallerRefusal> {
    const result =
      'refused' in credentials ? credentials : authenticate(credentials.key, credentials.authorization, digestOf)
    return after(result, (found) => ('refused' in found ? found : decide(found, applicant)))
  }

  /**
   * Decides on an applicant whose key was looked up: the last step of all four APIs. A limit of requests joins here: failed keys before
   * the first return, projects behind it. Single calls, of a batch or a WebSocket, are for a stage of the pipeline.
   */
  function decide(result: AuthResult, { wanted, head, source }: Applicant): Decided | CallerRefusal {
    if (result.failure !== undefined) return { refused: result.failure, keyId: result.keyId, why: result.why }
    const { project, keyId, rules, expiresAt } = result
    const { origin, userAgent } = head
    const address = addressOf(source, head)
    const principal = {
      project,
      rules,
      keyId,
      expiresAt,
      address,
      origin,
      userAgent: userAgent?.slice(0, longestUserAgent),
    }
    const { reason: denied } = access.decideRequest(principal, { networks: wanted, source: address, origin, userAgent })
    return { principal, denied }
  }

  /** Refuses an applicant who was denied. */
  function settle(found: Decided | CallerRefusal, { wanted, source }: Applicant): Decided | CallerRefusal {
    if ('refused' in found || found.denied === undefined) return found
    const { principal, denied: reason } = found
    const network = wanted[0]
    noteDenial({ reason, principal, traceId: source.traceId, network })
    return reason === 'network' ? { refused: 'denied_network', network: network! } : { refused: 'denied' }
  }

  return {
    refuseHead(head) {
      const reason = wrongHead(head)
      const isForeign = reason === undefined && onlyLocal && !isLocal(head.host, head.origin)
      if (reason === undefined && !isForeign) return undefined
      return noted<never>({ refused: reason ?? 'foreign' })
    },
    route(url, { host }, connection) {
      const route = connection === undefined ? options.route(url, host) : lastOf(connection).route(url, host)
      return route.kind === 'lost' ? noted<never>({ refused: 'lost', version: route.version }) : route
    },
    admitCall(route, head, source) {
      const place = locate(route)
      if ('refused' in place) return noted<AdmittedCall>(place)
      const { network, apiVersion } = place
      const applicant = { wanted: [network.name], head, source }
      // An idle WebSocket is to hold nothing more.
      const digestOf = route.kind === 'rpc' ? lastOf(source.socket).digestOf : undefined
      return after(identify(callCredentials(route.key, head), applicant, digestOf), (found) => {
        // The stage `authorize` denies over HTTP, where a refusal carries the id of its call.
        const settled = route.kind === 'rpc' ? found : settle(found, applicant)
        if ('refused' in settled) return noted<AdmittedCall>(settled, applicant)
        const { principal, denied } = settled
        if (denied !== undefined) options.noteRefusal({ refused: denied === 'network' ? 'denied_network' : 'denied' })
        return { principal, denied, network, apiVersion }
      })
    },
    admit(target, head, source) {
      if (target.kind === 'ipfs') {
        const applicant = { wanted: none, head, source }
        return after(identify(ipfsCredentials(head), applicant), (found) =>
          noted<Decided, CallerRefusal>(settle(found, applicant), applicant),
        )
      }
      const { key, networks: wanted, isPublic } = target
      const isStranger = key === undefined && head.apiKey === undefined && head.authorization === undefined
      const applicant = { wanted: isPublic && isStranger ? none : wanted, head, source }
      const found = isPublic && isStranger ? decide(anybody, applicant) : identify(gasCredentials(key, head), applicant)
      return after(found, (decided) => noted<Decided, CallerRefusal>(settle(decided, applicant), applicant))
    },
  }
}

/** Names a header that stands twice where one is to decide. */
function wrongHead(head: RequestHead): 'two_hosts' | 'two_origins' | 'two_authorizations' | undefined {
  if (head.hasTwoHosts) return 'two_hosts'
  if (head.hasTwoOrigins) return 'two_origins'
  return head.hasTwoAuthorizations ? 'two_authorizations' : undefined
}

/** A caller who asks to be admitted. */
interface Applicant {
  /** Slugs of the networks of which the project must be allowed one; none where that is not decided here. */
  readonly wanted: readonly string[]
  readonly head: RequestHead
  readonly source: RequestSource
}

/** A caller who is known, with the list that they did not pass. */
interface Decided extends Admitted {
  readonly denied: DenialReason | undefined
}

/** Addresses and methods are for the stage `authorize`, which knows the calls. */
const access = createAccessCheck({ addressesOf: () => undefined })

/** Goes on with a value now, or when it has come. */
function after<T, U>(value: Deferred<T>, goOn: (value: T) => U): Deferred<U> {
  return value instanceof Promise ? value.then(goOn) : goOn(value)
}

const none: readonly string[] = []
/** Longest user agent that is kept, in characters: an idle WebSocket holds it. */
const longestUserAgent = 256
const anybody: AuthResult = { project: { id: '', name: 'anybody', requireSecret: false }, keyId: '' }

type Credentials =
  | { readonly key: string | undefined; readonly authorization: string | undefined }
  | { readonly refused: AuthFailure | 'two_keys' }

/** Reads the credentials of JSON-RPC: the key of the path, or of `X-Api-Key`. */
function callCredentials(key: string | undefined, { apiKey, hasTwoKeys, authorization }: RequestHead): Credentials {
  if (hasTwoKeys || (key !== undefined && apiKey !== undefined && key !== apiKey)) return twoKeys
  return { key: key ?? apiKey, authorization }
}

const twoKeys: Credentials = { refused: 'two_keys' }

/**
 * Reads the credentials of the gas API: likewise, else the user of HTTP Basic (Spec §5). An empty password counts as none, since clients
 * without a secret send it so.
 */
function gasCredentials(pathKey: string | undefined, head: RequestHead): Credentials {
  const found = callCredentials(pathKey, head)
  if ('refused' in found) return found
  const { key, authorization } = found
  const basic = authorization === undefined ? undefined : parseBasic(authorization)
  if (basic === undefined) return found
  const caller = key ?? basic.user
  const isKeyAlone = basic.password === '' && (basic.user === '' || basic.user === caller)
  return { key: caller, authorization: isKeyAlone ? undefined : authorization }
}

/** Reads the credentials of the IPFS API: always key and secret, by HTTP Basic (Spec §5), or `X-Api-Key` and a secret or a JWT. */
function ipfsCredentials(head: RequestHead): Credentials {
  const found = callCredentials(undefined, head)
  if ('refused' in found) return found
  const { key, authorization = '' } = found
  if (authorization === '') return { refused: key === undefined ? 'no_key' : 'wrong_secret' }
  const user = parseBasic(authorization)?.user
  return key === undefined && user === undefined ? { refused: 'wrong_secret' } : { key: key ?? user, authorization }
}
