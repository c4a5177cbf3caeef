import type { Project } from '@wayleave/auth'

/** The caller behind a request. */
export interface Principal {
  readonly project: Project
  /** Names the key in logs and usage without telling it; empty where none was needed. */
  readonly keyId: string
  /** IP address of the connection's other end; empty once that is gone. */
  readonly address: string
  readonly origin: string | undefined
  /** At most 256 characters of it. */
  readonly userAgent: string | undefined
}
