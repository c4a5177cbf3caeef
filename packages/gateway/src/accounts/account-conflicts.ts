import type { AccountSnapshot as OwnAccounts } from '@wayleave/auth'
import type { AccountSnapshot } from '@wayleave/stores'
import type { NamedProject } from '../config/accounts.ts'
import type { ConfigProblem } from '../config/check.ts'

/**
 * Finds the projects and keys of a configuration that its store has, too. `own`: the accounts that `projects` make. The problems name
 * projects, and no key.
 */
export function accountConflicts(
  projects: readonly NamedProject[],
  own: OwnAccounts,
  stored: AccountSnapshot,
): readonly ConfigProblem[] {
  const ids = new Set(stored.projects.map(({ id }) => id))
  const holders = new Map(stored.keys.map(({ digest, projectId }) => [digest, projectId]))
  const digests = own.keys.values()
  return projects.flatMap(({ id, keys }, i) => [
    ...(ids.has(id)
      ? [{ path: `projects[${i}]`, expected: 'a project that the store does not have', got: `"${id}"` }]
      : []),
    ...keys.flatMap((_, j) => {
      const holder = holders.get(digests.next().value!.digest)
      if (holder === undefined) return []
      const got = `one of its project "${holder}"`
      return [{ path: `projects[${i}].keys[${j}]`, expected: 'a key that the store does not have', got }]
    }),
  ])
}
