import type { ConfigProblem } from '../config/check.ts'
import type { ListenConfig } from '../config/listen-config.ts'
import { isLocal } from '../routes/local.ts'

/** Tells why the console cannot be open; undefined where it can, or is not to be. */
export function consoleObstacle(
  { console: page }: { readonly console?: { readonly isOpen?: boolean } | undefined },
  { admin }: Required<Pick<ListenConfig, 'admin'>>,
): ConfigProblem | undefined {
  if (page?.isOpen !== true || isLocal(admin, undefined)) return undefined
  return { path: 'listen.admin', expected: 'a loopback address, as the console asks for no token', got: admin }
}
