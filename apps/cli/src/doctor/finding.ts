/** One result of a check. Its texts name no key, no secret, and of a URL only the host. */
export interface Finding {
  /** `fail`: something does not work; `warn`: it works, and probably not as meant. */
  readonly level: 'ok' | 'warn' | 'fail'
  /** A stable name for programs, such as `upstream_unreachable`. */
  readonly code: string
  /** The part that was checked: `upstream mainnet/geth`. */
  readonly subject: string
  readonly text: string
  /** The thing to do about it; with `warn` and `fail`. */
  readonly remedy?: string
}

/** A check of one part. */
export interface Check {
  /** The part, as progress shows it. */
  readonly subject: string
  /** Resolves with what was found; may take until `signal` aborts. */
  run(signal: AbortSignal): Promise<readonly Finding[]>
}

export function ok(code: string, subject: string, text: string): Finding {
  return { level: 'ok', code, subject, text }
}

export function warn(code: string, subject: string, text: string, remedy: string): Finding {
  return { level: 'warn', code, subject, text, remedy }
}

export function fail(code: string, subject: string, text: string, remedy: string): Finding {
  return { level: 'fail', code, subject, text, remedy }
}
