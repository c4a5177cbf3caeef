import { signal, type Signal } from '@preact/signals'

/** The key that *try it* calls with: typed in, or just created. In memory alone: it is gone with the page, and with the session. */
export const keyInHand: Signal<string> = signal('')
