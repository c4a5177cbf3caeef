import type { AuditEntry } from '@wayleave/admin-api'

/** A member that a change set, as JSON. */
export interface Change {
  readonly name: string
  /** Undefined where there was none. */
  readonly before: string | undefined
  readonly after: string | undefined
}

/** Compares the two records of an entry, member by member. */
export function changesOf({ before = {}, after = {} }: Pick<AuditEntry, 'before' | 'after'>): readonly Change[] {
  const [old, fresh] = [before as Readonly<Record<string, unknown>>, after as Readonly<Record<string, unknown>>]
  const names = [...new Set([...Object.keys(old), ...Object.keys(fresh)])]
  return names.flatMap((name) => {
    const change = { name, before: print(old[name]), after: print(fresh[name]) }
    return change.before === change.after ? [] : [change]
  })
}

function print(value: unknown): string | undefined {
  return typeof value === 'string' ? value : JSON.stringify(value)
}

const verbs: Readonly<Record<string, string>> = {
  create: 'Created',
  update: 'Changed',
  remove: 'Removed',
  put: 'Saved',
  add_secret: 'Added a secret to',
  remove_secret: 'Removed a secret of',
  add_jwt_key: 'Added a JWT key to',
  remove_jwt_key: 'Removed a JWT key of',
}

/** Says an action in words: `key.create` is `Created key`. */
export function nameOfAction(action: string): string {
  const [kind = '', verb = ''] = action.split('.')
  const words = verbs[verb]
  return words === undefined ? action : `${words} ${kind}`
}
