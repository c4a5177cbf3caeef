import { type AccountSnapshot, AuthError, type Digest, hintOf, parseHash, type GivenKey } from '@wayleave/auth'
import { dateOf } from '@wayleave/network/config'
import type { Config } from './config.ts'
import type { KeyConfig, ProjectConfig, SecretConfig } from './project-config.ts'

/** A project of the configuration under its id. */
export type NamedProject = ProjectConfig & { readonly id: string }

/** Names the projects of a configuration. */
export function namedProjects({ projects = [] }: Pick<Config, 'projects'>): readonly NamedProject[] {
  // An optional member may be there and undefined.
  return projects.map((project) => ({ ...project, id: project.id ?? project.name }))
}

/** Makes the accounts of a configuration, as a store keeps them. @throws AuthError for a hash that is none and a key that stands twice */
export function accountsOf(projects: readonly NamedProject[], sha256: Digest): AccountSnapshot {
  const keys = projects.flatMap((project) => project.keys.map((key) => storedKey(key, project.id, sha256)))
  return {
    seq: 0,
    projects: projects.map(
      ({ id, name, plan, networks, requireSecret, requireJwt, jwt, rules, secretBypassesRules, directives }) => ({
        id,
        name,
        ...(plan !== undefined && { plan }),
        ...(networks && { networks }),
        requireSecret: requireSecret ?? false,
        requireJwt: requireJwt ?? false,
        ...(jwt && { jwtKeys: jwt.keys.map(({ id: kid, pem }) => ({ kid, pem })) }),
        ...(jwt?.audience !== undefined && { jwtAudience: jwt.audience }),
        ...(jwt?.leewayMs !== undefined && { jwtLeewayMs: jwt.leewayMs }),
        ...(rules && { rules }),
        ...(directives && { directives: { ...directives } }),
        secretBypassesRules: secretBypassesRules ?? false,
      }),
    ),
    keys: withShortIds(keys),
  }
}

/** Hex digits of a key's digest that name it: enough to tell keys apart, too few to confirm a guess of a random one. */
const idLength = 8

/** Shortens the ids of keys, which are their digests, as far as they differ. */
function withShortIds(keys: readonly GivenKey[]): readonly GivenKey[] {
  const digests = new Set<string>()
  const ids = new Set<string>()
  return keys.map((key) => {
    const { digest, projectId } = key
    if (digests.has(digest)) throw new AuthError('duplicate_key', `a key of project "${projectId}" stands twice`)
    digests.add(digest)
    const short = digest.slice(0, idLength)
    const id = ids.has(short) ? digest.slice(0, 2 * idLength) : short
    ids.add(id)
    return { ...key, id }
  })
}

function storedKey(entry: KeyConfig, projectId: string, sha256: Digest): GivenKey {
  const { label, expiresAt, disabled = false, secret, secrets = [] } = entry
  const digest = 'key' in entry ? sha256(entry.key) : digestOf(entry.keyHash)
  const all: readonly SecretConfig[] = secret === undefined ? secrets : [{ secret }, ...secrets]
  return {
    id: digest,
    projectId,
    digest,
    ...('key' in entry && { hint: hintOf(entry.key) }),
    ...(label !== undefined && { label }),
    ...(expiresAt !== undefined && { expiresAt: dateOf(expiresAt) }),
    disabled,
    secrets: all.map((each, i) => ({
      id: String(i + 1),
      digest: 'secret' in each ? sha256(each.secret) : digestOf(each.secretHash),
      ...(each.expiresAt !== undefined && { expiresAt: dateOf(each.expiresAt) }),
    })),
  }
}

/** Reads `sha256:` and 64 hex digits. @throws AuthError `invalid_key` */
function digestOf(hash: string): string {
  const digest = parseHash(hash)
  if (digest === undefined) throw new AuthError('invalid_key', 'a hash is "sha256:" and 64 hex digits')
  return digest
}
