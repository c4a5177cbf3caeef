import type { Census, Invariant } from './evidence.ts'

/** After all callers have left, nothing of their calls is left; after the gateway has closed, nothing at all. */
export const endsAreReleased: Invariant = ({ idle, last }) => [
  ...leftOf(idle, ['exchanges', 'heldBytes', 'calls']),
  ...leftOf(last, Object.keys(words) as (keyof typeof words)[]),
]

function leftOf(census: Census, names: readonly (keyof typeof words)[]) {
  return names.flatMap((name) =>
    census[name] === 0 ? [] : [{ at: census.at, text: `${census[name]} ${words[name]} are left after the end` }],
  )
}

const words: Readonly<Record<Exclude<keyof Census, 'at'>, string>> = {
  timers: 'timers',
  exchanges: 'questions to upstreams',
  sockets: 'connections to upstreams',
  heldBytes: 'held bytes',
  calls: 'calls',
}
