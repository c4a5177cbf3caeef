import { dirname, extname } from 'node:path'
import type { Subcommand } from '../accounts/subcommands.ts'
import { type CommandIo, UsageError } from '../command.ts'
import { readArgs } from '../read-args.ts'

/** `config import`. */
export const importErpc: Subcommand = {
  usage: 'erpc.yaml [--config FILE] [--json]',
  summary: 'converts the configuration of an eRPC',
  help: `Writes the configuration of an eRPC (0.0.63, YAML or JSON) as one of Wayleave: projects, networks, upstreams, rate limits, waits, consensus,
keys, JWTs and addresses of callers, caches, listeners. \${NAME} stays as it is. Tells with its line what was not carried over, and why.

  --config FILE   the file to write, .yaml or .json; default wayleave.config.yaml. Never overwritten
  --json          one line of JSON: {"file","keys":[{"project","key"}],"remarks":[{"path","line","column","isPart","why"}],"problems":[…]}

A secret of eRPC becomes a key, by its hash. A project without one gets a key, printed once on stdout: PROJECT, a tab and the key.

Exit code 0: written; 2: it is no configuration of eRPC, or the file is there already.
`,
  async run(args, io) {
    const { values, positionals } = readArgs(args, {
      config: { type: 'string' },
      json: { type: 'boolean', default: false },
    })
    const [from, ...rest] = positionals
    if (from === undefined || rest.length > 0) throw new UsageError('expected the file of an eRPC, such as erpc.yaml')
    const file = values.config ?? 'wayleave.config.yaml'
    if (!/\.(?:ya?ml|json)$/.test(file)) throw new UsageError('--config: expected the name of a .yaml or .json file')
    return convert(from, file, values.json, io)
  },
}

async function convert(from: string, file: string, json: boolean, io: CommandIo): Promise<number> {
  const [
    { inspectConfig, printProblem, problemOf, readSource },
    { convertErpc },
    { printConfig },
    place,
    { writeNew },
  ] = await Promise.all([
    import('@wayleave/gateway'),
    import('../erpc/convert.ts'),
    import('./new-config.ts'),
    import('./schema-place.ts'),
    import('./write-new.ts'),
  ])
  if (/^\.[mc]?[jt]s$/.test(extname(from))) {
    throw new UsageError(
      `${from}: expected YAML or JSON, got a program: write it as erpc.yaml first, whose members have the same names`,
    )
  }
  const source = await readSource(from)
  if (!('placeOf' in source)) throw new UsageError(printProblem(problemOf(source), from))
  const { projects } = (source.value ?? {}) as { readonly projects?: unknown }
  if (!Array.isArray(projects) || projects.length === 0) {
    throw new UsageError(`${from}: expected an eRPC configuration, which has a list of \`projects\``)
  }
  const { config, keys, remarks } = convertErpc(source)
  const format = file.endsWith('.json') ? 'json' : 'yaml'
  await writeNew(file, printConfig(config, format, place.schemaAddress(dirname(file)), false))
  const { problems } = await inspectConfig(file, io.env)
  if (json) {
    io.stdout(`${JSON.stringify({ file, keys, remarks, problems })}\n`)
    return 0
  }
  for (const { path, line, column, isPart, why } of remarks) {
    const at = line === undefined ? from : `${from}:${line}:${column}`
    io.stderr(`${at}: ${path}: ${isPart ? '' : 'not carried over: '}${why}\n`)
  }
  for (const { project, key } of keys) io.stdout(`${project}\t${key}\n`)
  const names = Object.keys(config.networks)
  io.stderr(
    `${file} is written: ${names.length === 1 ? 'one network' : `${names.length} networks`}, ${config.projects!.length === 1 ? 'one project' : `${config.projects!.length} projects`}; callers ask /${names[0] ?? 'NETWORK'}/v3/KEY in place of /PROJECT/evm/CHAIN\n`,
  )
  for (const problem of problems) io.stderr(`${printProblem(problem, file)}\n`)
  return 0
}
