/** A call or an event that waits for its credits. */
export interface Reservation {
  readonly price: number
  /** The credits that it must have of its price. Less than all: an event, which may be the last one. */
  readonly least: number
  /** Called with the credits that were debited; undefined: none. */
  readonly done: (debited: number | undefined) => void
}

/** Whether a reservation needs its whole price. */
export const isWhole = ({ price, least }: Reservation): boolean => least >= price
