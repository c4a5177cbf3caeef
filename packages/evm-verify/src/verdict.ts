/**
 * How much is known of an answer, everywhere in this family of packages:
 * - `off`: nothing was looked at.
 * - `consistent`: it agrees with itself and with what was asked; a peer can make up another that does.
 * - `proven`: its contents hash to what was asked for; no peer can make up another.
 */
export type VerificationLevel = 'off' | 'consistent' | 'proven'

/** What verification found, as data. `ok` is undefined where nothing can be told: neither right nor wrong. */
export type Verdict =
  | { readonly ok: true; readonly level: Exclude<VerificationLevel, 'off'> }
  | { readonly ok: false; readonly reason: string; readonly field: string }
  | { readonly ok: undefined; readonly reason: string }
