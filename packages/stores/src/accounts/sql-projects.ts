import type { Kysely } from 'kysely'
import type { ProjectFields, StoredPlan, StoredProject } from './account.ts'
import type { AccountStore, Author } from './account-store.ts'
import { type AccountTables, planOf, planRow, projectOf, projectRow } from './account-tables.ts'
import { type AccountDatabase, change, conflict, found, missing, picked } from './change-accounts.ts'
import { checkLimit, checkPlan, checkProject, mostInPage } from './check-account.ts'

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
  ): Promise<StoredProject> {
    const after = await change<StoredProject>(
      database,
      { kind: 'project', id, action, by },
      projectRow,
      async (transaction) => {
        const before = found(await readProject(transaction, id), `project "${id}"`)
        const project = next(before)
        checkProject(project)
        await requirePlan(transaction, project)
        await requireName(transaction, project)
        await transaction.updateTable('account_projects').set(projectRow(project)).where('id', '=', id).execute()
        return { before, after: project }
      },
    )
    return after!
  }

  return {
    async plans({ after = '', limit }) {
      checkLimit(limit, mostInPage)
      const query = db.selectFrom('account_plans').selectAll().where('id', '>', after)
      return (await query.orderBy('id').limit(limit).execute()).map(planOf)
    },

    async putPlan({ id, name, limits }, by) {
      const after = await change<StoredPlan>(
        database,
        { kind: 'plan', id, action: 'plan.put', by },
        planRow,
        async (transaction) => {
          const before = await readPlan(transaction, id)
          const plan = { id, name, limits, createdAt: before?.createdAt ?? by.at }
          checkPlan(plan)
          const row = planRow(plan)
          await transaction
            .insertInto('account_plans')
            .values(row)
            .onConflict((on) => on.column('id').doUpdateSet(row))
            .execute()
          return { before, after: plan }
        },
      )
      return after!
    },

    async removePlan(id, by) {
      await change<StoredPlan>(
        database,
        { kind: 'plan', id, action: 'plan.remove', by },
        planRow,
        async (transaction) => {
          const before = found(await readPlan(transaction, id), `plan "${id}"`)
          const query = transaction.selectFrom('account_projects').select('id').where('plan', '=', id)
          const user = await query.limit(1).executeTakeFirst()
          if (user !== undefined)
            throw conflict(`plan "${id}" is that of project "${user.id}": give it another one first`)
          await transaction.deleteFrom('account_plans').where('id', '=', id).execute()
          return { before, after: undefined }
        },
      )
    },

    project: (id) => readProject(db, id),

    async projects({ after = '', limit }) {
      checkLimit(limit, mostInPage)
      const query = db.selectFrom('account_projects').selectAll().where('id', '>', after)
      return (await query.orderBy('id').limit(limit).execute()).map(projectOf)
    },

    async createProject({ id, ...fields }, by) {
      const action = 'project.create'
      const after = await change<StoredProject>(
        database,
        { kind: 'project', id, action, by },
        projectRow,
        async (transaction) => {
          const project: StoredProject = {
            ...newProject,
            name: fields.name,
            ...picked<ProjectFields>(fields, projectFields),
            id,
            jwtKeys: [],
            createdAt: by.at,
          }
          checkProject(project)
          if ((await readProject(transaction, id)) !== undefined) throw conflict(`there is a project "${id}" already`)
          await requireUnused(transaction, id)
          await requirePlan(transaction, project)
          await requireName(transaction, project)
          await transaction.insertInto('account_projects').values(projectRow(project)).execute()
          return { before: undefined, after: project }
        },
      )
      return after!
    },

    updateProject: (id, fields, by) =>
      changeProject(id, 'project.update', by, (project) => ({ ...project, ...picked(fields, projectFields) })),

    async removeProject(id, by) {
      const action = projectRemoval
      await change<StoredProject>(database, { kind: 'project', id, action, by }, projectRow, async (transaction) => {
        const before = found(await readProject(transaction, id), `project "${id}"`)
        await transaction.deleteFrom('account_keys').where('project', '=', id).execute()
        await transaction.deleteFrom('account_projects').where('id', '=', id).execute()
        return { before, after: undefined }
      })
    },

    addJwtKey: (id, { kid, algorithm, pem, label }, by) =>
      changeProject(id, 'project.add_jwt_key', by, (project) => {
        if (project.jwtKeys.some((key) => key.kid === kid)) {
          throw conflict(`there is a JWT key "${kid}" of project "${id}" already`)
        }
        return { ...project, jwtKeys: [...project.jwtKeys, { kid, algorithm, pem, label, createdAt: by.at }] }
      }),

    removeJwtKey: (id, kid, by) =>
      changeProject(id, 'project.remove_jwt_key', by, (project) => {
        const jwtKeys = project.jwtKeys.filter((key) => key.kid !== kid)
        if (jwtKeys.length === project.jwtKeys.length) throw missing(`JWT key "${kid}" of project "${id}"`)
        return { ...project, jwtKeys }
      }),
  }
}

const newProject = {
  plan: undefined,
  disabled: false,
  requireSecret: false,
  requireJwt: false,
  secretOverridesRules: false,
  rules: {},
  limits: undefined,
  settings: {},
} as const

const projectFields = ['name', ...(Object.keys(newProject) as (keyof typeof newProject)[])] as const

async function readPlan(db: Db, id: string): Promise<StoredPlan | undefined> {
  const row = await db.selectFrom('account_plans').selectAll().where('id', '=', id).executeTakeFirst()
  return row === undefined ? undefined : planOf(row)
}

export async function readProject(db: Db, id: string): Promise<StoredProject | undefined> {
  const row = await db.selectFrom('account_projects').selectAll().where('id', '=', id).executeTakeFirst()
  return row === undefined ? undefined : projectOf(row)
}

async function requirePlan(db: Db, { plan }: StoredProject): Promise<void> {
  if (plan !== undefined) found(await readPlan(db, plan), `plan "${plan}"`)
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
