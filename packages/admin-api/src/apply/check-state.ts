import { parseJwtKey, type Digest } from '@wayleave/auth'
import { type AdminIssue, conflicting, invalid } from '../error.ts'
import type { Configured } from '../configured.ts'
import type { DesiredState } from '../model/state.ts'
import { givenKeyIssues, partsOf } from '../key-text.ts'

/**
 * Checks all that a schema cannot: ids, names, keys and references.
 * @throws AdminError `invalid`, or `conflict` for what the configuration has
 */
export function checkState({ plans, projects }: DesiredState, configured: Configured, sha256: Digest): void {
  const wrong: AdminIssue[] = []
  const conflicts: AdminIssue[] = []

  /** Refuses a value that an earlier place has, too. */
  function once(seen: Map<string, string>, value: string, path: string): void {
    const first = seen.get(value)
    if (first === undefined) seen.set(value, path)
    else wrong.push({ path, message: `expected another one, ${first} has it already` })
  }

  function conflict(path: string, message: string | undefined): void {
    if (message !== undefined) conflicts.push({ path, message })
  }

  const planIds = new Map<string, string>()
  plans.forEach(({ id }, i) => {
    once(planIds, id, `plans[${i}].id`)
    conflict(`plans[${i}].id`, configured.conflict('plan', id))
  })
  function checkPlan(plan: string | undefined, path: string): void {
    if (plan !== undefined && !planIds.has(plan) && !configured.plans.has(plan)) {
      wrong.push({ path, message: 'expected a plan of this state, or of the configuration: list it among plans' })
    }
  }

  const projectIds = new Map<string, string>()
  const names = new Map<string, string>()
  const keyIds = new Map<string, string>()
  const digests = new Map<string, string>()
  projects.forEach(({ id, name = id, plan, jwtKeys = [], keys = [] }, i) => {
    const at = `projects[${i}]`
    once(projectIds, id, `${at}.id`)
    once(names, name, `${at}.name`)
    conflict(`${at}.id`, configured.conflict('project', id))
    checkPlan(plan, `${at}.plan`)
    const kids = new Map<string, string>()
    jwtKeys.forEach((key, j) => once(kids, parseJwtKey(key).kid, `${at}.jwtKeys[${j}].kid`))
    keys.forEach((key, j) => {
      const place = `${at}.keys[${j}]`
      once(keyIds, key.id, `${place}.id`)
      conflict(`${place}.id`, configured.conflict('key', key.id))
      checkPlan(key.plan, `${place}.plan`)
      const issues = givenKeyIssues(key, place)
      wrong.push(...issues)
      if (key.key === undefined && key.keyHash === undefined) {
        wrong.push({ path: `${place}.key`, message: 'expected a key or a keyHash' })
      } else if (issues.length === 0) {
        const { digest } = partsOf(key, sha256)
        const path = `${place}.${key.key === undefined ? 'keyHash' : 'key'}`
        once(digests, digest, path)
        conflict(path, configured.digestConflict(digest))
      }
    })
  })
  if (wrong.length > 0) throw invalid(wrong)
  if (conflicts.length > 0) throw conflicting(conflicts)
}
