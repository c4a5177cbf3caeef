import type { Kysely } from 'kysely'
import type { KeyFields, StoredKey } from './account.ts'
import type { AccountStore, Author } from './account-store.ts'
import { type AccountTables, keyOf, keyRow } from './account-tables.ts'
import { type AccountDatabase, change, conflict, found, missing, picked } from './change-accounts.ts'
import { checkKey, checkLimit, mostInPage } from './check-account.ts'
import { readProject } from './sql-projects.ts'

const mostLiveSecrets = 2

type Methods = 'key' | 'keys' | 'createKey' | 'updateKey' | 'removeKey' | 'addSecret' | 'removeSecret'

/** The part of the account store that keeps keys and their secrets. */
export function createSqlKeys(database: AccountDatabase): Pick<AccountStore, Methods> {
  const { db } = database

  async function changeKey(
    id: string,
    action: string,
    by: Author,
    next: (before: StoredKey) => StoredKey,
  ): Promise<StoredKey> {
    const after = await change<StoredKey>(database, { kind: 'key', id, action, by }, keyRow, async (transaction) => {
      const before = found(await readKey(transaction, id), `key "${id}"`)
      const key = next(before)
      checkKey(key)
      await transaction.updateTable('account_keys').set(keyRow(key)).where('id', '=', id).execute()
      return { before, after: key }
    })
    return after!
  }

  return {
    key: (id) => readKey(db, id),

    async keys(project, { after = '', limit }) {
      checkLimit(limit, mostInPage)
      const query = db.selectFrom('account_keys').selectAll().where('project', '=', project).where('id', '>', after)
      return (await query.orderBy('id').limit(limit).execute()).map(keyOf)
    },

    async createKey({ id, project, digest, hint, ...fields }, by) {
      const after = await change<StoredKey>(
        database,
        { kind: 'key', id, action: 'key.create', by },
        keyRow,
        async (transaction) => {
          const key: StoredKey = {
            ...newKey,
            ...picked(fields, keyFields),
            id,
            project,
            digest,
            hint,
            secrets: [],
            createdAt: by.at,
          }
          checkKey(key)
          found(await readProject(transaction, key.project), `project "${key.project}"`)
          if ((await readKey(transaction, id)) !== undefined) throw conflict(`there is a key "${id}" already`)
          const query = transaction.selectFrom('account_keys').select('id').where('digest', '=', key.digest)
          const same = await query.executeTakeFirst()
          if (same !== undefined) throw conflict(`key "${id}" is the same as key "${same.id}": make another one`)
          await transaction.insertInto('account_keys').values(keyRow(key)).execute()
          return { before: undefined, after: key }
        },
      )
      return after!
    },

    updateKey: (id, fields, by) => changeKey(id, 'key.update', by, (key) => ({ ...key, ...picked(fields, keyFields) })),

    async removeKey(id, by) {
      await change<StoredKey>(database, { kind: 'key', id, action: 'key.remove', by }, keyRow, async (transaction) => {
        const before = found(await readKey(transaction, id), `key "${id}"`)
        await transaction.deleteFrom('account_keys').where('id', '=', id).execute()
        return { before, after: undefined }
      })
    },

    addSecret: (id, { id: secret, digest, hint, expiresAt }, by, { othersExpireAt } = {}) =>
      changeKey(id, 'key.add_secret', by, (key) => {
        const isLive = (end: number | undefined): boolean => end === undefined || end > by.at
        const live = key.secrets
          .map((other) => ({ ...other, expiresAt: earlier(other.expiresAt, othersExpireAt) }))
          .filter((other) => isLive(other.expiresAt))
        if (live.length >= mostLiveSecrets) {
          throw conflict(`two secrets of key "${id}" are live: remove one, or let them expire`)
        }
        if (live.some((other) => other.id === secret)) {
          throw conflict(`there is a secret "${secret}" of key "${id}" already`)
        }
        return { ...key, secrets: [...live, { id: secret, digest, hint, createdAt: by.at, expiresAt }] }
      }),

    removeSecret: (id, secret, by) =>
      changeKey(id, 'key.remove_secret', by, (key) => {
        const secrets = key.secrets.filter((other) => other.id !== secret)
        if (secrets.length === key.secrets.length) throw missing(`secret "${secret}" of key "${id}"`)
        return { ...key, secrets }
      }),
  }
}

const newKey = { label: '', disabled: false, expiresAt: undefined, limits: undefined } as const

const keyFields = Object.keys(newKey) as (keyof KeyFields)[]

async function readKey(db: Kysely<AccountTables>, id: string): Promise<StoredKey | undefined> {
  const row = await db.selectFrom('account_keys').selectAll().where('id', '=', id).executeTakeFirst()
  return row === undefined ? undefined : keyOf(row)
}

function earlier(a: number | undefined, b: number | undefined): number | undefined {
  return a === undefined ? b : Math.min(a, b ?? a)
}
