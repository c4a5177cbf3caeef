import { allPages, type Project, type ProjectFields, type ProjectPatch } from '@wayleave/admin-api'
import { UsageError } from '../command.ts'
import { accountFlags, accountFlagsHelp, jsonFlag, readArgs, readText } from './flags.ts'
import { confirmRemoval } from './keys.ts'
import { type Column, countOf, printRecord, printRows } from './print.ts'
import { runAccounts } from './run-accounts.ts'
import type { Subcommand } from './subcommands.ts'

const fieldFlags = {
  networks: { type: 'string' },
  'require-secret': { type: 'boolean' },
  'require-jwt': { type: 'boolean' },
  'jwt-audience': { type: 'string' },
  'jwt-leeway-ms': { type: 'string' },
  rules: { type: 'string' },
  'secret-bypasses-rules': { type: 'boolean' },
  plan: { type: 'string' },
  limits: { type: 'string' },
  directives: { type: 'string' },
} as const

const fieldHelp = `  --networks A,B      the networks that its keys may reach; default: all
  --rules JSON        allowlists, or @FILE: {"methods":["eth_call"],"origins":["https://app.example.com"]}
  --plan PLAN         the limits of that plan, for all its keys together
  --limits JSON       limits of its own, or @FILE: {"perSecond":{"credits":500},"perDay":{"credits":1000000}}
  --directives JSON   defaults of the directives of its calls, or @FILE
  --jwt-audience A    the audience that JWTs must name
  --jwt-leeway-ms MS  ms by which the clocks of their issuers may be wrong; default: 60000
  --[no-]require-secret, --[no-]require-jwt, --[no-]secret-bypasses-rules`

const jsonHelp = '  --json              one line of JSON; an error as {"error":…}'

interface Values {
  readonly networks?: string | undefined
  readonly 'require-secret'?: boolean | undefined
  readonly 'require-jwt'?: boolean | undefined
  readonly 'jwt-audience'?: string | undefined
  readonly 'jwt-leeway-ms'?: string | undefined
  readonly rules?: string | undefined
  readonly 'secret-bypasses-rules'?: boolean | undefined
  readonly plan?: string | undefined
  readonly limits?: string | undefined
  readonly directives?: string | undefined
}

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

/** `projects list`. */
export const list: Subcommand = {
  usage: '[flags]',
  summary: 'lists projects',
  help: `Those of the configuration come first, with the source config: they are changed there. A pipe gets, with tabs between: id, name, state,
plan, networks, source.

  --json              a line of JSON for each project; an error as {"error":…}
${accountFlagsHelp}
`,
  run(args, io) {
    const { values } = readArgs(args, accountFlags, [])
    return runAccounts({ name: 'projects list', io, flags: values }, async (client) => {
      const projects: Project[] = []
      for await (const project of allPages((page) => client.projects.list(page))) projects.push(project)
      if (values.json) io.stdout(projects.map((project) => `${JSON.stringify(project)}\n`).join(''))
      else printRows(projects, columns, projects.length === 0 ? 'no projects' : countOf(projects.length, 'project'), io)
    })
  },
}

/** `projects show`. */
export const show: Subcommand = {
  usage: 'PROJECT [flags]',
  summary: 'shows a project with its rules and limits',
  help: `${jsonHelp}\n${accountFlagsHelp}\n`,
  run(args, io) {
    const { values, positionals } = readArgs(args, accountFlags, ['PROJECT'])
    return runAccounts({ name: 'projects show', io, flags: values }, async (client) =>
      printRecord(await client.projects.get(positionals[0]!), values.json, io),
    )
  },
}

/** `projects create`. */
export const create: Subcommand = {
  usage: 'PROJECT [flags]',
  summary: 'creates a project',
  help: `PROJECT is its id, which names it in usage and the audit log, never changes, and is not given again.

  --name TEXT         default: the id
${fieldHelp}
${jsonHelp}
${accountFlagsHelp}
`,
  async run(args, io) {
    const { values, positionals } = readNegatable(args, { ...accountFlags, ...fieldFlags, name: { type: 'string' } }, [
      'PROJECT',
    ])
    const id = positionals[0]!
    const fields = await fieldsOf(values)
    return runAccounts({ name: 'projects create', io, flags: values }, async (client) => {
      const project = await client.projects.create({ id, name: values.name ?? id, ...fields })
      if (values.json) io.stdout(`${JSON.stringify(project)}\n`)
      else io.stderr(`created project ${id}; wayleave keys create ${id} gives it a key\n`)
    })
  },
}

/** `projects update`. */
export const update: Subcommand = {
  usage: 'PROJECT [flags]',
  summary: 'changes its members',
  help: `Changes what is named, lists and objects as a whole, and leaves the rest. --networks all, --plan none, --limits none,
--jwt-audience none and --jwt-leeway-ms none take it away.

  --name TEXT         another name
${fieldHelp}
${jsonHelp}
${accountFlagsHelp}
`,
  async run(args, io) {
    const { values, positionals } = readNegatable(args, { ...accountFlags, ...fieldFlags, name: { type: 'string' } }, [
      'PROJECT',
    ])
    const patch = { ...(await patchOf(values)), ...(values.name !== undefined && { name: values.name }) }
    if (Object.keys(patch).length === 0)
      throw new UsageError('expected a flag that changes something, such as --rules or --plan')
    return runAccounts({ name: 'projects update', io, flags: values }, async (client) =>
      printRecord(await client.projects.update(positionals[0]!, patch), values.json, io),
    )
  },
}

/** Reads arguments in which `--no-NAME` unsets a boolean flag. */
function readNegatable<T extends Parameters<typeof readArgs>[1]>(
  args: readonly string[],
  options: T,
  names: readonly string[],
): ReturnType<typeof readArgs<T>> {
  const end = args.includes('--') ? args.indexOf('--') : args.length
  const off: string[] = []
  const rest = args.filter((arg, at) => {
    const name = /^--no-(.+)$/.exec(arg)?.[1] ?? ''
    if (at >= end || options[name]?.type !== 'boolean') return true
    off.push(name)
    return false
  })
  const parsed = readArgs(rest, options, names)
  return { ...parsed, values: { ...parsed.values, ...Object.fromEntries(off.map((name) => [name, false])) } }
}

/** `projects enable` and `projects disable`. */
function switching(name: string, disabled: boolean, summary: string): Subcommand {
  return {
    usage: 'PROJECT [flags]',
    summary,
    help: `${jsonHelp}\n${accountFlagsHelp}\n`,
    run(args, io) {
      const { values, positionals } = readArgs(args, accountFlags, ['PROJECT'])
      return runAccounts({ name: `projects ${name}`, io, flags: values }, async (client) => {
        const changed = await client.projects.update(positionals[0]!, { disabled })
        if (values.json) io.stdout(`${JSON.stringify(changed)}\n`)
        else io.stderr(`${name}d project ${changed.id}\n`)
      })
    },
  }
}

export const enable: Subcommand = switching('enable', false, 'lets its keys in again')
export const disable: Subcommand = switching('disable', true, 'keeps all its keys out until it is enabled')

/** `projects remove`. */
export const remove: Subcommand = {
  usage: 'PROJECT [--yes] [flags]',
  summary: 'removes a project with all its keys, for good',
  help: `Its id is not given again. A terminal asks first; elsewhere --yes is required.

  --yes               does not ask
  --json              {"removed":PROJECT}; an error as {"error":…}
${accountFlagsHelp}
`,
  run(args, io) {
    const flags = { ...accountFlags, yes: { type: 'boolean', default: false } } as const
    const { values, positionals } = readArgs(args, flags, ['PROJECT'])
    const id = positionals[0]!
    return runAccounts({ name: 'projects remove', io, flags: values }, async (client) => {
      await confirmRemoval(values.yes, io, async () => {
        let count = 0
        for await (const _ of allPages((page) => client.keys.list(id, page))) count++
        return `Remove project ${id} with ${count === 0 ? 'no keys' : countOf(count, 'key')} for good?`
      })
      await client.projects.remove(id)
      if (values.json) io.stdout(`${JSON.stringify({ removed: id })}\n`)
      else io.stderr(`removed project ${id}\n`)
    })
  },
}

const jwtFlags = { ...accountFlags, kid: { type: 'string' }, label: { type: 'string' } } as const

/** `projects add-jwt-key`. */
export const addJwtKey: Subcommand = {
  usage: 'PROJECT FILE [flags]',
  summary: 'adds the public key of its JWTs',
  help: `FILE has one public key in PEM: RSA of 2,048 to 8,192 bits (RS256), or EC on P-256 (ES256). A project has at most three.

  --kid KID           the kid of tokens that it signs; default: from its fingerprint
  --label TEXT        a person's name for it
${jsonHelp}
${accountFlagsHelp}
`,
  async run(args, io) {
    const { values, positionals } = readArgs(args, jwtFlags, ['PROJECT', 'FILE'])
    const [project, file] = positionals as [string, string]
    const { kid, label } = values
    const key = {
      pem: await readText('FILE', file),
      ...(kid !== undefined && { kid }),
      ...(label !== undefined && { label }),
    }
    return runAccounts({ name: 'projects add-jwt-key', io, flags: values }, async (client) =>
      printRecord(await client.jwtKeys.add(project, key), values.json, io),
    )
  },
}

/** `projects remove-jwt-key`. */
export const removeJwtKey: Subcommand = {
  usage: 'PROJECT KID [--yes] [flags]',
  summary: 'removes one; its tokens are wrong from then on',
  help: `A terminal asks first; elsewhere --yes is required.

  --yes               does not ask
  --json              {"removed":KID,"project":PROJECT}; an error as {"error":…}
${accountFlagsHelp}
`,
  run(args, io) {
    const flags = { ...accountFlags, yes: { type: 'boolean', default: false } } as const
    const { values, positionals } = readArgs(args, flags, ['PROJECT', 'KID'])
    const [project, kid] = positionals as [string, string]
    return runAccounts({ name: 'projects remove-jwt-key', io, flags: values }, async (client) => {
      await confirmRemoval(values.yes, io, async () => `Remove JWT key ${kid} of project ${project}?`)
      await client.jwtKeys.remove(project, kid)
      if (values.json) io.stdout(`${JSON.stringify({ removed: kid, project })}\n`)
      else io.stderr(`removed JWT key ${kid} of project ${project}\n`)
    })
  },
}
