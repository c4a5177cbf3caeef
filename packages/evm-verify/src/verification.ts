import { defineExtension, type Extension } from '@wayleave/jsonrpc-core'
import type { AnchorKind } from './anchor.ts'
import type { FieldReport, VerificationLevel } from './verdict.ts'

/** How far an answer was verified, in whole and by the paths of its members. */
export interface Verification {
  readonly level: Exclude<VerificationLevel, 'off'> | 'unverifiable'
  /** By what its block was known. */
  readonly anchor: AnchorKind
  readonly fields: FieldReport
  /** Why nothing can be told. */
  readonly reason?: string
}

/** Carried by the meta of an answer that `verify` looked at: `verification.of(response.meta)`. */
export const verification: Extension<Verification> = /*#__PURE__*/ defineExtension<Verification>('verification')
