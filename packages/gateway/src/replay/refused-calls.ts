import { createAccessCheck, type Digest, parseRules, type Rules } from '@wayleave/auth'
import { createMethodDenial, deniedMethods } from '../config/denied-methods.ts'
import { accountsOf, namedProjects } from '../config/accounts.ts'
import type { Config } from '../config/config.ts'
import type { RecordedCall } from '../trace/recorded-call.ts'

/** Why a configuration would refuse a call, as far as its record tells. */
export type ReplayRefusal = 'network' | 'project' | 'project_network' | 'key' | 'method'

interface Access {
  readonly networks: readonly string[] | undefined
  readonly rules: Rules | undefined
  readonly keys: ReadonlySet<string>
}

const check = createAccessCheck<{ readonly method: string }>({ addressesOf: () => undefined })

/**
 * Makes a function that tells why a configuration would refuse a call that the present one let pass. Projects and keys of the store are the same in
 * both. Addresses, origins and sources are not recorded, and limits depend on what was spent before: neither is judged.
 */
export function createRefusals(
  present: Config,
  changed: Config,
  sha256: Digest,
  now: number,
): (call: RecordedCall) => ReplayRefusal | undefined {
  const before = accessOf(present, sha256, now)
  const after = accessOf(changed, sha256, now)
  const isDenied = createMethodDenial(deniedMethods(changed))
  return ({ network, project, keyId, method }) => {
    if (changed.networks[network] === undefined) return 'network'
    if (isDenied(method)) return 'method'
    const own = after.get(project)
    if (own === undefined) return before.has(project) ? 'project' : undefined
    if (own.networks?.includes(network) === false) return 'project_network'
    if (before.get(project)?.keys.has(keyId) === true && !own.keys.has(keyId)) return 'key'
    const grant = { project: { id: project, name: project, requireSecret: false }, rules: own.rules }
    return check.decideCall(grant, { method }).allowed ? undefined : 'method'
  }
}

function accessOf(config: Config, sha256: Digest, now: number): ReadonlyMap<string, Access> {
  const { projects, keys } = accountsOf(namedProjects(config), sha256)
  return new Map(
    projects.map(({ id, networks, rules, secretBypassesRules }) => [
      id,
      {
        networks,
        // Whether a caller sent a secret is not recorded.
        rules: rules?.methods && !secretBypassesRules ? parseRules({ methods: rules.methods }) : undefined,
        keys: new Set(
          keys
            .filter(({ projectId, disabled, expiresAt }) => {
              return projectId === id && disabled !== true && (expiresAt === undefined || expiresAt > now)
            })
            .map((key) => key.id),
        ),
      },
    ]),
  )
}
