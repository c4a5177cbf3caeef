import type { NodeErrorKind } from './node-error-kind.ts'

/** One row of {@link nodeWordings}. */
export interface NodeWording {
  readonly kind: NodeErrorKind
  /** Found anywhere in the message. */
  readonly pattern: RegExp
  /** The nodes and files that use these words. */
  readonly source: string
}
