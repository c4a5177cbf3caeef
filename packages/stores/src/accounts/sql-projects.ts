import {
  type Author,
  chosenOf,
  defaultsOf,
  type FurtherPlans,
  jwtKeyFields,
  planFields,
  projectFields,
  type StoredJwtKey,
} from '@wayleave/auth'
import type { Kysely } from 'kysely'
import type { StoredPlan, StoredProject } from './account.ts'
import type { AccountStore } from './account-store.ts'
import { type AccountTables, planCodec, projectCodec } from './account-tables.ts'
import { type AccountDatabase, change, conflict, found, missing } from './change-accounts.ts'
import { checkLimit, checkRecord, mostInPage } from './check-account.ts'

/** Entries with this action are never pruned: ids are not given again. */
export const projectRemoval = 'project.remove'

type Db = Kysely<AccountTables>

type PlanMethods = 'plans' | 'putPlan' | 'removePlan'
type ProjectMethods =
  | 'project'
  | 'projects'
  | 'createProject'
  | 'updateProject'
  | 'removeProject'
  | 'addJwtKey'
  | 'removeJwtKey'

/** The part of the account store that keeps projects and plans. */
export function createSqlProjects(database: AccountDatabase): Pick<AccountStore, PlanMethods | ProjectMethods> {
  const { db } = database

  async function changeProject(
    id: string,
    action: string,
    by: Author,
    next: (before: StoredProject) => StoredProject,
    further?: FurtherPlans,
  ): Promise<StoredProject> {
    const after = await change(database, projectCodec, { id, action, by }, async (transaction) => {
      const before = found(await readProject(transaction, id), `project "${id}"`)
      const project = next(before)
      checkRecord('project', projectFields, project)
      if (project.plan !== before.plan) await requirePlan(transaction, project, further)
      await requireName(transaction, project)
      await transaction.updateTable('account_projects').set(projectCodec.write(project)).where('id', '=', id).execute()
      return { before, after: project }
    })
    return after!
  }

  return {
    async plans({ after = '', limit }) {
      checkLimit(limit, mostInPage)
      const query = db.selectFrom('account_plans').selectAll().where('id', '>', after)
      return (await query.orderBy('id').limit(limit).execute()).map(planCodec.read)
    },

    async putPlan({ id, name, limits }, by) {
      const after = await change(database, planCodec, { id, action: 'plan.put', by }, async (transaction) => {
        const before = await readPlan(transaction, id)
        const plan = { id, name, limits, createdAt: before?.createdAt ?? by.at }
        checkRecord('plan', planFields, plan)
        const row = planCodec.write(plan)
        const query = transaction.insertInto('account_plans').values(row)
        await query.onConflict((on) => on.column('id').doUpdateSet(row)).execute()
        return { before, after: plan }
      })
      return after!
    },

    async removePlan(id, by) {
      await change(database, planCodec, { id, action: 'plan.remove', by }, async (transaction) => {
        const before = found(await readPlan(transaction, id), `plan "${id}"`)
        for (const [what, table] of [
          ['project', 'account_projects'],
          ['key', 'account_keys'],
        ] as const) {
          const user = await transaction
            .selectFrom(table)
            .select('id')
            .where('plan', '=', id)
            .limit(1)
            .executeTakeFirst()
          if (user !== undefined) {
            throw conflict(`plan "${id}" is that of ${what} "${user.id}": give it another one first`)
          }
        }
        await transaction.deleteFrom('account_plans').where('id', '=', id).execute()
        return { before, after: undefined }
      })
    },

    project: (id) => readProject(db, id),

    async projects({ after = '', limit }) {
      checkLimit(limit, mostInPage)
      const query = db.selectFrom('account_projects').selectAll().where('id', '>', after)
      return (await query.orderBy('id').limit(limit).execute()).map(projectCodec.read)
    },

    async createProject({ id, ...fields }, by, further) {
      const after = await change(database, projectCodec, { id, action: 'project.create', by }, async (transaction) => {
        const chosen = { ...defaultsOf(projectFields), ...chosenOf(projectFields, fields) }
        const project = { ...chosen, id, jwtKeys: [], createdAt: by.at } as StoredProject
        checkRecord('project', projectFields, project)
        if ((await readProject(transaction, id)) !== undefined) throw conflict(`there is a project "${id}" already`)
        await requireUnused(transaction, id)
        await requirePlan(transaction, project, further)
        await requireName(transaction, project)
        await transaction.insertInto('account_projects').values(projectCodec.write(project)).execute()
        return { before: undefined, after: project }
      })
      return after!
    },

    updateProject: (id, fields, by, further) =>
      changeProject(
        id,
        'project.update',
        by,
        (project) => ({ ...project, ...chosenOf(projectFields, fields) }) as StoredProject,
        further,
      ),

    async removeProject(id, by) {
      await change(database, projectCodec, { id, action: projectRemoval, by }, async (transaction) => {
        const before = found(await readProject(transaction, id), `project "${id}"`)
        await transaction.deleteFrom('account_keys').where('project', '=', id).execute()
        await transaction.deleteFrom('account_projects').where('id', '=', id).execute()
        return { before, after: undefined }
      })
    },

    addJwtKey: (id, { kid, pem, ...fields }, by) =>
      changeProject(id, 'project.add_jwt_key', by, (project) => {
        if (project.jwtKeys.some((key) => key.kid === kid)) {
          throw conflict(`there is a JWT key "${kid}" of project "${id}" already`)
        }
        const chosen = { ...defaultsOf(jwtKeyFields), ...chosenOf(jwtKeyFields, fields) }
        const key = { kid, pem, ...chosen, createdAt: by.at } as StoredJwtKey
        return { ...project, jwtKeys: [...project.jwtKeys, key] }
      }),

    removeJwtKey: (id, kid, by) =>
      changeProject(id, 'project.remove_jwt_key', by, (project) => {
        const jwtKeys = project.jwtKeys.filter((key) => key.kid !== kid)
        if (jwtKeys.length === project.jwtKeys.length) throw missing(`JWT key "${kid}" of project "${id}"`)
        return { ...project, jwtKeys }
      }),
  }
}

async function readPlan(db: Db, id: string): Promise<StoredPlan | undefined> {
  const row = await db.selectFrom('account_plans').selectAll().where('id', '=', id).executeTakeFirst()
  return row === undefined ? undefined : planCodec.read(row)
}

export async function readProject(db: Db, id: string): Promise<StoredProject | undefined> {
  const row = await db.selectFrom('account_projects').selectAll().where('id', '=', id).executeTakeFirst()
  return row === undefined ? undefined : projectCodec.read(row)
}

export async function requirePlan(
  db: Db,
  { plan }: { readonly plan?: string },
  { plans }: FurtherPlans = {},
): Promise<void> {
  if (plan !== undefined && plans?.has(plan) !== true) found(await readPlan(db, plan), `plan "${plan}"`)
}

/** Usage, pins and the audit log go by the id, so it never comes to name another project. */
async function requireUnused(db: Db, id: string): Promise<void> {
  const query = db.selectFrom('account_audit').select('seq').where('project', '=', id)
  const removed = await query.where('action', '=', projectRemoval).limit(1).executeTakeFirst()
  if (removed !== undefined) throw conflict(`"${id}" was the id of a project that was removed: choose another one`)
}

async function requireName(db: Db, { id, name }: StoredProject): Promise<void> {
  const query = db.selectFrom('account_projects').select('id').where('name', '=', name).where('id', '!=', id)
  const other = await query.executeTakeFirst()
  if (other !== undefined) throw conflict(`project "${other.id}" has the name "${name}" already: choose another one`)
}
