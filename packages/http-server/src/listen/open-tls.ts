import type { Issue } from '@wayleave/jsonrpc-core/schema'

/** A certificate and its key as PEM texts, for a server. */
export interface TlsMaterial {
  readonly cert: string
  readonly key: string
  readonly minVersion: 'TLSv1.2' | 'TLSv1.3'
  readonly ciphers: string
}

/** The certificate of a listener, and how it is read again. */
export interface OpenTls {
  readonly material: TlsMaterial
  /** Reads the files again. Never rejects. */
  read(): Promise<TlsMaterial | { readonly issues: readonly Issue[] }>
}
