import type { Socket } from 'node:net'
import { type Authenticate, type AuthFailure, type AuthResult, parseBasic } from '@wayleave/auth'
import type { RequestHead } from './http/head.ts'
import type { Principal } from './principal.ts'
import type { CallerRefusal, Refusal } from './refusal.ts'
import { isLocal } from './routes/local.ts'
import type { CallRoute, LostRoute, Route } from './routes/route.ts'
import type { Network } from './rpc/network.ts'

/**
 * The one way into the gateway, for JSON-RPC, WebSocket, gas and IPFS alike: head, route, network, principal, permission. A request is
 * an HTTP request with all calls of its body, or a whole WebSocket connection.
 */
export interface Admission {
  /** Judges a request by its head alone; undefined where nothing is wrong with it. */
  refuseHead(head: RequestHead): Refusal | undefined
  /** Reads path and host. */
  route(url: string, head: RequestHead): Exclude<Route, LostRoute> | Refusal
  /** Admits a request for JSON-RPC. Synchronous where the key store is; rejects only with what that threw. */
  admitCall(route: CallRoute, head: RequestHead, socket: Socket): Deferred<AdmittedCall | Refusal>
  /** Admits a request to the gas or the IPFS API, likewise. */
  admit(target: GasTarget | IpfsTarget, head: RequestHead, socket: Socket): Deferred<Admitted | CallerRefusal>
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
}

export interface AdmissionOptions {
  readonly networks: ReadonlyMap<string, Network>
  readonly defaultNetwork: string | undefined
  /** Why a network is missing that callers may ask for, by its name. */
  readonly absentNetworks: ReadonlyMap<string, string>
  readonly authenticate: Authenticate
  readonly route: (url: string, host: string) => Route
  /** Refuses requests of web pages and host names of elsewhere. */
  readonly onlyLocal: boolean
}

/** Creates the admission of a gateway. It holds no state. */
export function createAdmission(options: AdmissionOptions): Admission {
  const { networks, defaultNetwork, absentNetworks, authenticate, onlyLocal } = options

  /** Finds the network of a call, and the version of its interface. */
  function locate({ network: named, apiVersion: segment }: CallRoute): Omit<AdmittedCall, 'principal'> | Refusal {
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
  function identify(credentials: Credentials, applicant: Applicant): Deferred<Admitted | CallerRefusal> {
    const result = 'failure' in credentials ? credentials : authenticate(credentials.key, credentials.authorization)
    return after(result, (found) => decide(found, applicant))
  }

  return {
    refuseHead({ hasTwoHosts, hasTwoOrigins, host, origin }) {
      if (hasTwoHosts) return { refused: 'two_hosts' }
      if (hasTwoOrigins) return { refused: 'two_origins' }
      return onlyLocal && !isLocal(host, origin) ? { refused: 'foreign' } : undefined
    },
    route(url, { host }) {
      const route = options.route(url, host)
      return route.kind === 'lost' ? { refused: 'lost', version: route.version } : route
    },
    admitCall(route, head, socket) {
      const place = locate(route)
      if ('refused' in place) return place
      const { network, apiVersion } = place
      // The stage `authorize` decides over HTTP, where a refusal carries the id of its call.
      const wanted = route.kind === 'ws' ? [network.name] : none
      const decided = identify({ key: route.key, authorization: head.authorization }, { wanted, head, socket })
      return after(decided, (found) =>
        'refused' in found ? found : { principal: found.principal, network, apiVersion },
      )
    },
    admit(target, head, socket) {
      const { authorization } = head
      if (target.kind === 'ipfs') return identify(ipfsCredentials(authorization), { wanted: none, head, socket })
      const { key, networks: wanted, isPublic } = target
      if (isPublic && key === undefined && authorization === undefined)
        return decide(anybody, { wanted: none, head, socket })
      return identify(gasCredentials(key, authorization), { wanted, head, socket })
    },
  }
}

/** A caller who asks to be admitted. */
interface Applicant {
  /** Slugs of the networks of which the project must be allowed one; none where that is not decided here. */
  readonly wanted: readonly string[]
  readonly head: RequestHead
  readonly socket: Socket
}

/**
 * Decides on an applicant whose key was looked up: the last step of all four APIs. A limit of requests joins here: failed keys before
 * the first return, projects behind it. Single calls, of a batch or a WebSocket, are for a stage of the pipeline.
 */
function decide(result: AuthResult, { wanted, head, socket }: Applicant): Admitted | CallerRefusal {
  if (result.failure !== undefined) return { refused: result.failure }
  const { project, keyId } = result
  const { networks: allowed } = project
  if (allowed !== undefined && wanted.length > 0 && !wanted.some((name) => allowed.includes(name))) {
    return { refused: 'denied_network', network: wanted[0]! }
  }
  const { origin } = head
  const userAgent = head.userAgent?.slice(0, longestUserAgent)
  return { principal: { project, keyId, address: socket.remoteAddress ?? '', origin, userAgent } }
}

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
  | { readonly failure: AuthFailure }

/**
 * Reads the credentials of the gas API: the key of the path, else the user of HTTP Basic (Spec §5). An empty password counts as none,
 * since clients without a secret send it so.
 */
function gasCredentials(key: string | undefined, authorization: string | undefined): Credentials {
  const basic = authorization === undefined ? undefined : parseBasic(authorization)
  if (basic === undefined) return { key, authorization }
  const caller = key ?? basic.user
  const isKeyAlone = basic.password === '' && (basic.user === '' || basic.user === caller)
  return { key: caller, authorization: isKeyAlone ? undefined : authorization }
}

/** Reads the credentials of the IPFS API: always key and secret, by HTTP Basic (Spec §5). */
function ipfsCredentials(authorization: string | undefined): Credentials {
  if (authorization === undefined || authorization === '') return { failure: 'no_key' }
  const basic = parseBasic(authorization)
  return basic === undefined ? { failure: 'wrong_secret' } : { key: basic.user, authorization }
}
