import type { CallOptions, RpcHandler } from '@wayleave/jsonrpc-core'
import type { SubscriptionFacts } from '@wayleave/jsonrpc-core/schema'
import type { LazyBearer } from './credentials/load-bearer.ts'
import type { Redaction } from './redaction.ts'

/** An API beside that of EVM nodes, which `createClient` opens by its option `apis`: `gas()`, `ipfs()`, `starknet()` make one. */
export interface ClientApi<T> {
  /** Appended to the paths of a gateway, behind the key. */
  readonly path?: string
  /** A host of its own, whose secrets stay out of errors. */
  readonly url?: string | undefined
  readonly methods?: OtherMethods
  /** @throws TypeError for unusable options */
  readonly open: (host: ApiHost) => T
}

/** APIs by the names that the client gives them. */
export type ClientApis = Readonly<Record<string, ClientApi<unknown>>>

/** The members that APIs add to a client. */
export type ApisOf<A extends ClientApis> = { readonly [K in keyof A]: A[K] extends ClientApi<infer T> ? T : never }

/** Methods that are not those of EVM nodes. */
export interface OtherMethods {
  readonly subscriptions: Readonly<Record<string, SubscriptionFacts>>
  /** Undefined for a method of no table. */
  effectOf(method: string): 'read' | 'write' | 'session' | undefined
}

/** The parts of a client from which an API is opened. Its URL and credentials were checked. */
export interface ApiHost {
  readonly url: string
  readonly apiKey: string | undefined
  readonly apiKeySecret: string | undefined
  readonly timeoutMs: number
  readonly handler: RpcHandler
  readonly requestUnchecked: (method: string, params?: unknown, options?: CallOptions) => Promise<unknown>
  /** Present where calls carry a JWT. */
  readonly bearer: LazyBearer | undefined
  readonly redaction: Redaction
}
