import {
  type Author,
  chosenOf,
  defaultsOf,
  type FurtherPlans,
  keyFields,
  maxSecrets,
  secretFields,
  type StoredSecret,
} from '@wayleave/auth'
import type { Kysely } from 'kysely'
import type { StoredKey } from './account.ts'
import type { AccountStore } from './account-store.ts'
import { type AccountTables, keyCodec } from './account-tables.ts'
import { type AccountDatabase, change, conflict, found, missing } from './change-accounts.ts'
import { checkLimit, checkRecord, mostInPage } from './check-account.ts'
import { readProject, requirePlan } from './sql-projects.ts'

type Methods = 'key' | 'keys' | 'createKey' | 'updateKey' | 'removeKey' | 'addSecret' | 'removeSecret'

/** The part of the account store that keeps keys and their secrets. */
export function createSqlKeys(database: AccountDatabase): Pick<AccountStore, Methods> {
  const { db } = database

  async function changeKey(
    id: string,
    action: string,
    by: Author,
    next: (before: StoredKey) => StoredKey,
    further?: FurtherPlans,
  ): Promise<StoredKey> {
    const after = await change(database, keyCodec, { id, action, by }, async (transaction) => {
      const before = found(await readKey(transaction, id), `key "${id}"`)
      const key = next(before)
      checkRecord('key', keyFields, key)
      if (key.plan !== before.plan) await requirePlan(transaction, key, further)
      await transaction.updateTable('account_keys').set(keyCodec.write(key)).where('id', '=', id).execute()
      return { before, after: key }
    })
    return after!
  }

  return {
    key: (id) => readKey(db, id),

    async keys(projectId, { after = '', limit }) {
      checkLimit(limit, mostInPage)
      const query = db.selectFrom('account_keys').selectAll().where('project', '=', projectId).where('id', '>', after)
      return (await query.orderBy('id').limit(limit).execute()).map(keyCodec.read)
    },

    async createKey({ id, projectId, digest, hint, ...fields }, by, further) {
      const after = await change(database, keyCodec, { id, action: 'key.create', by }, async (transaction) => {
        const chosen = { ...defaultsOf(keyFields), ...chosenOf(keyFields, fields) }
        const key = { ...chosen, id, projectId, digest, hint, secrets: [], createdAt: by.at } as StoredKey
        checkRecord('key', keyFields, key)
        found(await readProject(transaction, projectId), `project "${projectId}"`)
        await requirePlan(transaction, key, further)
        if ((await readKey(transaction, id)) !== undefined) throw conflict(`there is a key "${id}" already`)
        const query = transaction.selectFrom('account_keys').select('id').where('digest', '=', key.digest)
        const same = await query.executeTakeFirst()
        if (same !== undefined) throw conflict(`key "${id}" is the same as key "${same.id}": make another one`)
        await transaction.insertInto('account_keys').values(keyCodec.write(key)).execute()
        return { before: undefined, after: key }
      })
      return after!
    },

    updateKey: (id, fields, by, further) =>
      changeKey(id, 'key.update', by, (key) => ({ ...key, ...chosenOf(keyFields, fields) }) as StoredKey, further),

    async removeKey(id, by) {
      await change(database, keyCodec, { id, action: 'key.remove', by }, async (transaction) => {
        const before = found(await readKey(transaction, id), `key "${id}"`)
        await transaction.deleteFrom('account_keys').where('id', '=', id).execute()
        return { before, after: undefined }
      })
    },

    addSecret: (id, { id: secretId, digest, hint, ...fields }, by, { othersExpireAt } = {}) =>
      changeKey(id, 'key.add_secret', by, (key) => {
        const live = key.secrets
          .map((other) => (othersExpireAt === undefined ? other : ended(other, othersExpireAt)))
          .filter((other) => other.expiresAt === undefined || other.expiresAt > by.at)
        if (live.length >= maxSecrets) {
          throw conflict(`two secrets of key "${id}" are live: remove one, or let them expire`)
        }
        if (live.some((other) => other.id === secretId)) {
          throw conflict(`there is a secret "${secretId}" of key "${id}" already`)
        }
        const made = { id: secretId, digest, hint, ...defaultsOf(secretFields), createdAt: by.at }
        const secret = { ...made, ...chosenOf(secretFields, fields) } as StoredSecret
        return { ...key, secrets: [...live, secret] }
      }),

    removeSecret: (id, secretId, by) =>
      changeKey(id, 'key.remove_secret', by, (key) => {
        const secrets = key.secrets.filter((other) => other.id !== secretId)
        if (secrets.length === key.secrets.length) throw missing(`secret "${secretId}" of key "${id}"`)
        return { ...key, secrets }
      }),
  }
}

async function readKey(db: Kysely<AccountTables>, id: string): Promise<StoredKey | undefined> {
  const row = await db.selectFrom('account_keys').selectAll().where('id', '=', id).executeTakeFirst()
  return row === undefined ? undefined : keyCodec.read(row)
}

function ended(secret: StoredSecret, at: number): StoredSecret {
  return { ...secret, expiresAt: Math.min(secret.expiresAt ?? at, at) }
}
