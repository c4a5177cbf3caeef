/**
 * How far an answer is verified, in all packages of this family:
 * - `off`: nothing was checked.
 * - `consistent`: the answer agrees with itself and with the question. A lying node can make up another that does.
 * - `proven`: its contents hash to a known hash. No node can make up another.
 */
export type VerificationLevel = 'off' | 'consistent' | 'proven'

/** How far one member is verified. A `consistent` one follows from other members or from the question, an `unverifiable` one from nothing. */
export type FieldLevel = 'proven' | 'consistent' | 'unverifiable'

/**
 * The level of each member of an answer, by its path: `transactions.*.value`, where `*` stands for every element of an
 * array. If elements differ, the weakest level counts. Changing a proven or consistent member makes the verdict false.
 */
export type FieldReport = Readonly<Record<string, FieldLevel>>

/** The result of verification, as data. `ok` is undefined if the answer can be shown neither right nor wrong. */
export type Verdict =
  | { readonly ok: true; readonly level: Exclude<VerificationLevel, 'off'>; readonly fields: FieldReport }
  | {
      readonly ok: false
      /** The expected and the received value, in words. */
      readonly reason: string
      /** The path of the false member. */
      readonly field: string
    }
  | { readonly ok: undefined; readonly reason: string; readonly fields: FieldReport }
