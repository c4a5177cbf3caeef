import type { Author } from '@wayleave/auth'
import { type AdminIssue, conflicting, invalid } from '../error.ts'
import { type ImportedKeys, importedKeys, type ImportOutcome, importResult } from '../model/state.ts'
import type { RouteContext } from './context.ts'
import { givenKeyIssues, type KeyParts, partsOf } from '../key-text.ts'
import { type Route, route } from './route.ts'

/** The route that keeps keys of elsewhere. */
export function importRoutes(context: RouteContext): readonly Route[] {
  return [
    route({
      method: 'POST',
      path: '/keys/import',
      summary:
        'Keep keys of elsewhere; a key that its project has already stays as it is, so an import may be repeated',
      scopes: ['accounts'],
      body: importedKeys,
      result: importResult,
      run: async ({ body, by }) => ({ items: await importKeys(context, body, by) }),
    }),
  ]
}

/** Imports keys, after all of them were looked at. */
async function importKeys(context: RouteContext, keys: ImportedKeys, by: Author): Promise<readonly ImportOutcome[]> {
  const { accounts, configured, sha256, newId } = context
  const wrong = keys.flatMap((key, i): readonly AdminIssue[] => {
    if (key.key !== undefined || key.keyHash !== undefined) return givenKeyIssues(key, `[${i}]`)
    return [{ path: `[${i}].key`, message: 'expected a key or a keyHash' }]
  })
  if (wrong.length > 0) throw invalid(wrong)

  const snapshot = await accounts.snapshot()
  const projects = new Set(snapshot.projects.map(({ id }) => id))
  const byDigest = new Map(snapshot.keys.map((key) => [key.digest, key]))
  const byId = new Map(snapshot.keys.map((key) => [key.id, key]))
  const parts: KeyParts[] = []
  const first = new Map<string, number>()
  const missing: AdminIssue[] = []
  const conflicts: AdminIssue[] = []

  keys.forEach((key, i) => {
    const made = partsOf(key, sha256)
    parts.push(made)
    const conflict = (member: string, message: string | undefined): void => {
      if (message !== undefined) conflicts.push({ path: `[${i}].${member}`, message })
    }
    const member = key.key === undefined ? 'keyHash' : 'key'
    const fixed = configured.conflict('project', key.project)
    conflict('project', fixed)
    if (fixed === undefined && !projects.has(key.project)) {
      missing.push({ path: `[${i}].project`, message: `there is no project "${key.project}": create it first` })
    }
    conflict(member, configured.digestConflict(made.digest))
    const twin = first.get(made.digest)
    if (twin !== undefined) conflict(member, `the same key as [${twin}]: list each once`)
    first.set(made.digest, twin ?? i)
    const other = byDigest.get(made.digest)
    if (other !== undefined && other.projectId !== key.project) {
      conflict(member, `project "${other.projectId}" has this key already`)
    }
    if (key.id === undefined || other !== undefined) return
    if (keys.findIndex(({ id }) => id === key.id) < i) conflict('id', `there are two keys "${key.id}"`)
    conflict(
      'id',
      configured.conflict('key', key.id) ?? (byId.has(key.id) ? `there is a key "${key.id}" already` : undefined),
    )
  })
  if (missing.length > 0) throw invalid(missing)
  if (conflicts.length > 0) throw conflicting(conflicts)

  const outcomes: ImportOutcome[] = []
  for (const [i, { project: projectId, id: chosen = newId(), label = '' }] of keys.entries()) {
    const other = byDigest.get(parts[i]!.digest)
    const id = other?.id ?? chosen
    if (other === undefined) await accounts.createKey({ id, projectId, label, ...parts[i]! }, by)
    outcomes.push({ id, projectId, outcome: other === undefined ? 'created' : 'exists' })
  }
  return outcomes
}
