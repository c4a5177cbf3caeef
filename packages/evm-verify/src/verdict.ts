/**
 * How much is known of an answer, everywhere in this family of packages:
 * - `off`: nothing was looked at.
 * - `consistent`: it agrees with itself and with what was asked; a peer can make up another that does.
 * - `proven`: its contents hash to what was asked for; no peer can make up another.
 */
export type VerificationLevel = 'off' | 'consistent' | 'proven'

/** What is known of one member: a `consistent` one follows from others or from what was asked, an `unverifiable` one from nothing. */
export type FieldStanding = 'proven' | 'consistent' | 'unverifiable'

/**
 * What is known of each member that an answer holds, by its path: `transactions.*.value`, where `*` stands for every element of an
 * array. Where elements differ, the weakest standing is told. A change of a member that is proven or consistent is refused.
 */
export type FieldReport = Readonly<Record<string, FieldStanding>>

/** What verification found, as data. `ok` is undefined where nothing can be told: neither right nor wrong. */
export type Verdict =
  | { readonly ok: true; readonly level: Exclude<VerificationLevel, 'off'>; readonly fields: FieldReport }
  | {
      readonly ok: false
      /** In words: what was expected, what came. */
      readonly reason: string
      /** The path of the member that shows it. */
      readonly field: string
    }
  | { readonly ok: undefined; readonly reason: string; readonly fields: FieldReport }
