import type { Follower } from './follower.ts'
import { relationOf } from './known-blocks.ts'

/**
 * Finds the followers of nodes that may be of another chain, beside one that has named the expected chain and tells its head: they have
 * never named any, nor told a block that such a one tells.
 */
export function findStrangers(followers: readonly Follower[]): ReadonlySet<Follower> {
  const nameless = followers.filter(({ question }) => question.isNameless)
  if (nameless.length === 0) return none
  const named = followers.filter(({ question, blocks }) => question.state === 'right' && blocks.head !== undefined)
  if (named.length === 0) return none
  return new Set(nameless.filter(({ blocks }) => !named.some((other) => relationOf(other.blocks, blocks) === 'same')))
}

const none: ReadonlySet<Follower> = new Set()
