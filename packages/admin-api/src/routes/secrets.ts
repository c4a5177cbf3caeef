import { type Author, chosenOf, hintOf, keyFields } from '@wayleave/auth'
import { createdSecret, keyRotation, newSecret, rotatedKey, viewKey, viewSecret } from '../model/key.ts'
import type { KeyRecord } from '../ports.ts'
import { keyToChange, type RouteContext } from './context.ts'
import { createKey } from './keys.ts'
import { type Route, route } from './route.ts'

const defaultOverlapSeconds = 86_400

/** The routes of secrets, and of the rotation of keys. */
export function secretRoutes(context: RouteContext): readonly Route[] {
  const { accounts, sha256, newId } = context

  /** Gives the live secrets of a key to another one, so that whoever uses both changes one of them. */
  async function copySecrets({ secrets }: KeyRecord, to: string, by: Author): Promise<void> {
    for (const { createdAt: _, ...secret } of secrets) {
      if (secret.expiresAt === undefined || secret.expiresAt > by.at) await accounts.addSecret(to, secret, by)
    }
  }

  return [
    route({
      method: 'POST',
      path: '/projects/{project}/keys/{key}/rotate',
      summary: 'Create a key in the place of another, which expires after an overlap; secrets and limits go with it',
      scopes: ['accounts'],
      body: keyRotation,
      result: rotatedKey,
      status: 201,
      async run({ params, body: { overlapSeconds = defaultOverlapSeconds, ...chosen }, by }) {
        const old = await keyToChange(context, params['project']!, params['key']!)
        const { expiresAt: _, ...fields } = chosenOf(keyFields, old)
        const created = await createKey(context, old.projectId, { ...chosen, ...fields }, by)
        try {
          await copySecrets(old, created.id, by)
          const end = by.at + overlapSeconds * 1_000
          const expiring = await accounts.updateKey(old.id, { expiresAt: Math.min(old.expiresAt ?? end, end) }, by)
          const { key, ...rest } = created
          const secrets = ((await accounts.key(created.id))?.secrets ?? []).map(viewSecret)
          return { created: { ...rest, secrets, ...(key !== undefined && { key }) }, old: viewKey(expiring) }
        } catch (thrown) {
          // The new key was shown to nobody.
          await accounts.removeKey(created.id, by).catch(() => {})
          throw thrown
        }
      },
    }),
    route({
      method: 'POST',
      path: '/projects/{project}/keys/{key}/secrets',
      summary: 'Create a secret, of which two may be live; its text is in this answer, and in no other',
      scopes: ['accounts'],
      body: newSecret,
      result: createdSecret,
      status: 201,
      async run({ params, body: { overlapSeconds, ...fields }, by }) {
        const { id } = await keyToChange(context, params['project']!, params['key']!)
        const text = context.newSecret()
        const secret = { id: newId(), digest: sha256(text), hint: hintOf(text), ...fields }
        const options = overlapSeconds === undefined ? {} : { othersExpireAt: by.at + overlapSeconds * 1_000 }
        const { secrets } = await accounts.addSecret(id, secret, by, options)
        return { ...viewSecret(secrets.find((kept) => kept.id === secret.id)!), secret: text }
      },
    }),
    route({
      method: 'DELETE',
      path: '/projects/{project}/keys/{key}/secrets/{secret}',
      summary: 'Remove a secret: it is wrong once this is answered',
      scopes: ['accounts'],
      async run({ params, by }) {
        const { id } = await keyToChange(context, params['project']!, params['key']!)
        await accounts.removeSecret(id, params['secret']!, by)
      },
    }),
  ]
}
