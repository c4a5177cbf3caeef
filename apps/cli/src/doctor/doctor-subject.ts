import {
  type Config,
  type ConfigProblem,
  type ConfigSummary,
  defaultListen,
  hostOf,
  inspectConfig,
  recognizeNode,
} from '@wayleave/gateway'
import type { CommandIo } from '../command.ts'
import { homeNetworks } from '../serve/home-networks.ts'
import { homeDataDir, homePorts } from '../serve/home-flags.ts'
import { fail, type Finding, ok, warn } from './finding.ts'

/** The subject of the checks: a configuration that can be used, if there is one, and what was found on the way to it. */
export interface DoctorSubject {
  readonly findings: readonly Finding[]
  readonly config?: Config
  readonly listeners?: ConfigSummary['listeners']
  /** The file of the configuration; undefined where it was made of URLs. */
  readonly file?: string
}

/** Reads a configuration file. Never rejects. */
export async function subjectOfFile(file: string, io: CommandIo): Promise<DoctorSubject> {
  const { problems, warnings, config, summary } = await inspectConfig(file, io.env)
  const findings = [
    ...problems.map((problem) => {
      const remedy = `${problem.hint ?? 'mend it'}; wayleave config check ${file} lists all`
      return fail('config', placeOf(file, problem), textOf(problem), remedy)
    }),
    ...warnings.map((problem) => {
      const { code = 'config_warning', fails, hint = 'change it, unless it is meant' } = problem
      return (fails ? fail : warn)(code, placeOf(file, problem), textOf(problem), hint)
    }),
  ]
  if (config === undefined || summary === undefined) return { findings }
  return { findings: [ok('config', file, 'can be served'), ...findings], config, listeners: summary.listeners, file }
}

/** Makes the configuration of `serve --upstream`. Nodes that cannot be recognized are findings. Takes six seconds at most. */
export async function subjectOfUpstreams(urls: readonly string[]): Promise<DoctorSubject> {
  const asked = await Promise.all(urls.map(async (url) => ({ url, ...(await recognizeNode(url)) })))
  const findings = asked.flatMap((each) => {
    if (!('fault' in each)) return []
    const remedy = 'start the node with its HTTP API on (geth --http), open its port to this machine, or mend the URL'
    return [fail('upstream_unreachable', `upstream ${hostOf(each.url)}`, each.fault, remedy)]
  })
  const nodes = asked.filter((each) => 'chainId' in each)
  if (nodes.length === 0) return { findings }
  const rpc = `127.0.0.1:${homePorts.rpc}`
  const admin = `127.0.0.1:${homePorts.admin}`
  const config: Config = { dataDir: homeDataDir, listen: { rpc, admin }, networks: homeNetworks(nodes) }
  return { findings, config, listeners: { ...defaultListen, rpc, admin, ipfs: undefined, tls: false } }
}

function placeOf(file: string, { path, line }: ConfigProblem): string {
  const place = line === undefined ? file : `${file}:${line}`
  return path === '' ? place : `${place} ${path}`
}

function textOf({ expected, got }: ConfigProblem): string {
  return `expected ${expected}, got ${got}`
}
