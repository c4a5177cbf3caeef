import { type Config, methodsDefaults } from './config.ts'

/** Methods that reach into a node; served only where an operator says so. */
export const defaultDeny: readonly string[] = ['admin_*', 'personal_*', 'debug_setHead', 'engine_*']

/** Lists the patterns of all methods that nobody may call. */
export function deniedMethods({ methods = {} }: Pick<Config, 'methods'>): readonly string[] {
  const { deny = [], denyByDefault = methodsDefaults.denyByDefault } = methods
  return denyByDefault ? [...defaultDeny, ...deny] : deny
}
