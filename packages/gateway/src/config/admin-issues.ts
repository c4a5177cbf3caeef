import type { Issue } from '@wayleave/jsonrpc-core/schema'
import { elementsOf, isObject, type Members } from '@wayleave/network/config'
import { isLocal } from '../routes/local.ts'
import { defaultListen } from './listen-config.ts'

/**
 * Refuses an admin listener that others than this machine reach and that asks nobody for a token: it cordons upstreams and reloads. A
 * name of another form than `localhost` counts as reached, as it may lead anywhere, and so does one that `admin.hosts` names a proxy of.
 * Takes values of any shape.
 */
export function adminIssues({ listen, admin }: Members): readonly Issue[] {
  const address = (isObject(listen) ? listen['admin'] : undefined) ?? defaultListen.admin
  if (typeof address !== 'string') return []
  const isReached = !isLocal(address, undefined) || elementsOf(admin, 'hosts').length > 0
  if (!isReached) return []
  const hasToken = isObject(admin) && admin['token'] !== undefined
  if (hasToken || elementsOf(admin, 'tokens').length > 0) return []
  const expected = `a token, as whoever reaches listen.admin (${address}) could cordon upstreams and reload`
  const hint =
    'make one by openssl rand -hex 32, and give it as ${file:…} or ${NAME}; or listen on 127.0.0.1, without admin.hosts'
  return [{ path: ['admin', 'token'], expected, received: 'nothing', hint }]
}
