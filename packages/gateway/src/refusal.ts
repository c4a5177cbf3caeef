import type { AuthFailure } from '@wayleave/auth'

/** A request that is not served, and why; each API words it in its own way. */
export type Refusal =
  | CallerRefusal
  | { readonly refused: 'two_hosts' | 'two_origins' | 'two_authorizations' | 'foreign' | 'no_network' }
  | { readonly refused: 'lost'; readonly version: string | undefined }
  | { readonly refused: 'unknown_network'; readonly network: string; readonly why: string | undefined }
  | {
      readonly refused: 'unknown_api_version'
      readonly network: string
      readonly segment: string
      /** The segments that name versions; undefined where the network has none to choose from. */
      readonly known: readonly string[] | undefined
    }

/** A caller who is not served, by any API: each of them has words for every one of these. */
export type CallerRefusal =
  /** `keyId` and `why`: those of its `AuthResult`, for logs and explanations. */
  | { readonly refused: AuthFailure; readonly keyId?: string | undefined; readonly why?: string | undefined }
  | { readonly refused: 'denied_network'; readonly network: string }
  /** By a rule of their project; which one, they are not told. */
  | { readonly refused: 'denied' }
  | { readonly refused: 'two_keys' }

/** Words the cause of a refusal that its caller is not told. */
export function causeOf(refusal: Refusal): string | undefined {
  return 'keyId' in refusal && refusal.why !== undefined ? `${refusal.refused}: ${refusal.why}` : undefined
}
