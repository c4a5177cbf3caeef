import type { MethodRules } from '@wayleave/jsonrpc-core/schema'

type Rules = MethodRules<never, never>

/** Says what the effect of a method means for its calls. */
export const effectWords: Readonly<Record<Rules['effect'], string>> = {
  read: 'A read: repeated and shared at will.',
  write: 'A write: sent once.',
  session: 'Needs a connection that can be pushed to.',
}

const cached: Readonly<Record<NonNullable<Rules['cache']>, string>> = {
  fixed: 'Kept for ever.',
  block: 'Kept as long as its block stands.',
  range: 'Kept as long as the blocks of its range stand.',
  result: 'Kept as long as the block that the answer names stands.',
  head: 'Kept until the next block.',
}

/** Says for how long an answer is kept. */
export function cacheWords(cache: Rules['cache']): string {
  return cache === undefined ? 'Never kept.' : cached[cache]
}
