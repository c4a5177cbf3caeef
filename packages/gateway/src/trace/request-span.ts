/** The span of one request. */
export interface RequestSpan {
  /** 32 hex digits: that of the caller where it named one. */
  readonly traceId: string
  /** 16 hex digits. */
  readonly spanId: string
  /** The caller's span. */
  readonly parentId: string | undefined
  /** Whether it is exported. */
  readonly isSampled: boolean
}
