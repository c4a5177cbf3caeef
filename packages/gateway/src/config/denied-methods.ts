import { type Config, methodsDefaults } from './config.ts'

/** Methods that reach into a node; served only where an operator says so. */
export const defaultDeny: readonly string[] = ['admin_*', 'personal_*', 'debug_setHead', 'engine_*']

/** Lists the patterns of all methods that nobody may call. */
export function deniedMethods({ methods = {} }: Pick<Config, 'methods'>): readonly string[] {
  const { deny = [], denyByDefault = methodsDefaults.denyByDefault } = methods
  return denyByDefault ? [...defaultDeny, ...deny] : deny
}

/** Makes the check for methods that nobody may call: those of `denyMethods`, and those that are not among `allowMethods`. */
export function createMethodDenial(
  denyMethods: readonly string[],
  allowMethods?: readonly string[],
): (method: string) => boolean {
  const isListed = createMatch(denyMethods)
  if (allowMethods === undefined) {
    return denyMethods.length === 0 ? () => false : (method) => isStrange.test(method) || isListed(method)
  }
  const allowed = new Set(allowMethods.filter((method) => !isListed(method)))
  return (method) => !allowed.has(method)
}

function createMatch(entries: readonly string[]): (method: string) => boolean {
  const exact = new Set(entries.filter((entry) => !entry.endsWith('*')).map(folded))
  const prefixes = entries.filter((entry) => entry.endsWith('*')).map(folded)
  return (method) => {
    const name = method.toLowerCase()
    if (exact.has(name)) return true
    for (const prefix of prefixes) if (name.startsWith(prefix)) return true
    return false
  }
}

/** A node may read a letter from elsewhere, a space or a dot as it likes, and so find a denied method in such a name. */
const isStrange = /[^A-Za-z0-9_]/

/** Reads an entry of the list in any case, and without signs that no method has. */
function folded(entry: string): string {
  return entry.replace(/\W/g, '').toLowerCase()
}
