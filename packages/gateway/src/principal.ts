import type { AccessGrant, Project } from '@wayleave/auth'

/** The caller behind a request, and what is granted to them. */
export interface Principal extends AccessGrant {
  readonly project: Project
  /** Names the key in logs and usage without telling it; empty where none was needed. */
  readonly keyId: string
  /** Milliseconds since 1970 at which key, secret or token run out; undefined: never. */
  readonly expiresAt?: number | undefined
  /** His IP address, as a trusted proxy tells it, else of the connection's other end; empty where it is not known. */
  readonly address: string
  readonly origin: string | undefined
  /** At most 256 characters of it. */
  readonly userAgent: string | undefined
}
