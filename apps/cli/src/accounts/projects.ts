import type { Project, ProjectFields, ProjectPatch } from '@wayleave/admin-api'
import { UsageError } from '../command.ts'
import { accountCommand, allOf, removalCommand } from './account-command.ts'
import { type FlagValues, jsonFlag, readText } from './flags.ts'
import { type Column, countOf } from './print.ts'
import type { Subcommand } from './subcommands.ts'
import { textFlags } from '../read-args.ts'

const fieldFlags = {
  ...textFlags('name', 'networks'),
  'require-secret': { type: 'boolean' },
  'require-jwt': { type: 'boolean' },
  ...textFlags('jwt-audience', 'jwt-leeway-ms', 'rules'),
  'secret-bypasses-rules': { type: 'boolean' },
  ...textFlags('plan', 'limits', 'directives'),
} as const

const fieldHelp = `  --networks A,B      the networks that its keys may reach; default: all
  --rules JSON        allowlists, or @FILE: {"methods":["eth_call"],"origins":["https://app.example.com"]}
  --plan PLAN         the limits of that plan, for all its keys together
  --limits JSON       limits of its own, or @FILE: {"perSecond":{"credits":500},"perDay":{"credits":1000000}}
  --directives JSON   defaults of the directives of its calls, or @FILE
  --jwt-audience A    the audience that JWTs must name
  --jwt-leeway-ms MS  ms by which the clocks of their issuers may be wrong; default: 60000
  --[no-]require-secret, --[no-]require-jwt, --[no-]secret-bypasses-rules`

type Values = FlagValues<typeof fieldFlags>

/** Reads the members that the flags set. @throws UsageError */
async function fieldsOf(values: Values): Promise<ProjectFields> {
  const { networks, plan, limits, rules, directives } = values
  const fields: Record<keyof ProjectFields, unknown> = {
    disabled: undefined,
    networks: networks?.split(',').filter((name) => name !== ''),
    requireSecret: values['require-secret'],
    requireJwt: values['require-jwt'],
    jwtAudience: values['jwt-audience'],
    jwtLeewayMs: await jsonFlag('--jwt-leeway-ms', values['jwt-leeway-ms']),
    rules: await jsonFlag('--rules', rules),
    secretBypassesRules: values['secret-bypasses-rules'],
    plan,
    limits: await jsonFlag('--limits', limits),
    directives: await jsonFlag('--directives', directives),
  }
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined))
}

/** Reads a change; `all` and `none` take a member away. @throws UsageError */
async function patchOf(values: Values): Promise<ProjectPatch> {
  const gone: [keyof ProjectPatch, keyof Values, string][] = [
    ['networks', 'networks', 'all'],
    ['plan', 'plan', 'none'],
    ['limits', 'limits', 'none'],
    ['jwtAudience', 'jwt-audience', 'none'],
    ['jwtLeewayMs', 'jwt-leeway-ms', 'none'],
  ]
  const nulls = gone.filter(([, flag, word]) => values[flag] === word)
  const kept = Object.fromEntries(Object.entries(values).filter(([name]) => !nulls.some(([, flag]) => flag === name)))
  return { ...(await fieldsOf(kept)), ...Object.fromEntries(nulls.map(([member]) => [member, null])) }
}

const columns: readonly Column<Project>[] = [
  { title: 'id', cell: ({ id }) => id },
  { title: 'name', cell: ({ name }) => name },
  { title: 'state', cell: ({ disabled }) => (disabled ? 'disabled' : 'active') },
  { title: 'plan', cell: ({ plan }) => plan ?? '-' },
  { title: 'networks', cell: ({ networks }) => networks?.join(',') ?? 'all' },
  { title: 'source', cell: ({ source }) => source },
]

export const list: Subcommand = accountCommand({
  name: 'projects list',
  args: [],
  summary: 'lists projects',
  about: `Those of the configuration come first, with the source config: they are changed there. A pipe gets, with tabs between: id, name, state,
plan, networks, source.`,
  json: 'a line of JSON for each project',
  async run({ client, rows }) {
    const projects = await allOf((page) => client.projects.list(page))
    rows(projects, columns, projects.length === 0 ? 'no projects' : countOf(projects.length, 'project'))
  },
})

export const show: Subcommand = accountCommand({
  name: 'projects show',
  args: ['PROJECT'],
  summary: 'shows a project with its rules and limits',
  run: async ({ client, args: [project], record }) => record(await client.projects.get(project)),
})

export const create: Subcommand = accountCommand({
  name: 'projects create',
  args: ['PROJECT'],
  summary: 'creates a project',
  about: 'PROJECT is its id, which names it in usage and the audit log, never changes, and is not given again.',
  flags: fieldFlags,
  flagsHelp: `  --name TEXT         default: the id\n${fieldHelp}`,
  read: fieldsOf,
  async run({ client, args: [id], values, given, done }) {
    const project = await client.projects.create({ id, name: values.name ?? id, ...given })
    done(project, `created project ${id}; wayleave keys create ${id} gives it a key`)
  },
})

export const update: Subcommand = accountCommand({
  name: 'projects update',
  args: ['PROJECT'],
  summary: 'changes its members',
  about: `Changes what is named, lists and objects as a whole, and leaves the rest. --networks all, --plan none, --limits none,
--jwt-audience none and --jwt-leeway-ms none take it away.`,
  flags: fieldFlags,
  flagsHelp: `  --name TEXT         another name\n${fieldHelp}`,
  async read(values) {
    const patch = { ...(await patchOf(values)), ...(values.name !== undefined && { name: values.name }) }
    if (Object.keys(patch).length > 0) return patch
    throw new UsageError('expected a flag that changes something, such as --rules or --plan')
  },
  run: async ({ client, args: [project], given, record }) => record(await client.projects.update(project, given)),
})

function switching(name: string, disabled: boolean, summary: string): Subcommand {
  return accountCommand({
    name: `projects ${name}`,
    args: ['PROJECT'],
    summary,
    async run({ client, args: [project], done }) {
      const changed = await client.projects.update(project, { disabled })
      done(changed, `${name}d project ${changed.id}`)
    },
  })
}

export const enable: Subcommand = switching('enable', false, 'lets its keys in again')
export const disable: Subcommand = switching('disable', true, 'keeps all its keys out until it is enabled')

export const remove: Subcommand = removalCommand({
  name: 'projects remove',
  args: ['PROJECT'],
  summary: 'removes a project with all its keys, for good',
  about: 'Its id is not given again.',
  json: '{"removed":PROJECT}',
  async question(client, [id]) {
    const count = (await allOf((page) => client.keys.list(id, page))).length
    return `Remove project ${id} with ${count === 0 ? 'no keys' : countOf(count, 'key')} for good?`
  },
  remove: (client, [id]) => client.projects.remove(id),
  result: ([id]) => ({ removed: id }),
  note: ([id]) => `removed project ${id}`,
})

export const addJwtKey: Subcommand = accountCommand({
  name: 'projects add-jwt-key',
  args: ['PROJECT', 'FILE'],
  summary: 'adds the public key of its JWTs',
  about:
    'FILE has one public key in PEM: RSA of 2,048 to 8,192 bits (RS256), or EC on P-256 (ES256). A project has at most three.',
  flags: { kid: { type: 'string' }, label: { type: 'string' } },
  flagsHelp: `  --kid KID           the kid of tokens that it signs; default: from its fingerprint
  --label TEXT        a person's name for it`,
  read: (_, [, file]) => readText('FILE', file),
  async run({ client, args: [project], values: { kid, label }, given: pem, record }) {
    const chosen = { ...(kid !== undefined && { kid }), ...(label !== undefined && { label }) }
    await record(await client.jwtKeys.add(project, { pem, ...chosen }))
  },
})

export const removeJwtKey: Subcommand = removalCommand({
  name: 'projects remove-jwt-key',
  args: ['PROJECT', 'KID'],
  summary: 'removes one; its tokens are wrong from then on',
  json: '{"removed":KID,"project":PROJECT}',
  question: (_, [project, kid]) => `Remove JWT key ${kid} of project ${project}?`,
  remove: (client, [project, kid]) => client.jwtKeys.remove(project, kid),
  result: ([project, kid]) => ({ removed: kid, project }),
  note: ([project, kid]) => `removed JWT key ${kid} of project ${project}`,
})
