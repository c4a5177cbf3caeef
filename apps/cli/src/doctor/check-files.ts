import { readdir, readFile, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { type Config, namedUpstream, storePlace } from '@wayleave/gateway'
import { type Check, type Finding, ok, warn } from './finding.ts'

/** Files that other users may read: nothing in them is a secret. */
const publicFiles = new Set(['chains.json', 'ipfs', 'cache'])

/** Creates the check of who can read secrets. `file`: the configuration, if there is one. */
export function checkFiles(config: Config, file: string | undefined): Check {
  return { subject: 'files', run: () => checkModes(config, file) }
}

async function checkModes(config: Config, file: string | undefined): Promise<readonly Finding[]> {
  const { dataDir, listen } = config
  const place = storePlace(config)
  const upstreams = Object.values(config.networks).flatMap((network) => network.upstreams.map(namedUpstream))
  const keys = [listen?.tls, ...upstreams.map(({ tls }) => tls)].flatMap((tls) => tls?.key ?? [])
  const database = place !== 'memory' && 'sqlite' in place && place.sqlite !== ':memory:' ? [place.sqlite] : []
  const inFolder =
    dataDir === undefined ? [] : (await readdir(dataDir).catch(() => [])).filter((name) => !publicFiles.has(name))
  const paths = new Set([
    ...inFolder.map((name) => join(dataDir!, name)),
    ...database,
    ...keys.filter((key) => !key.includes('-----BEGIN ')),
    ...(file !== undefined && (await holdsSecrets(file, config)) ? [file] : []),
  ])
  const findings = await Promise.all([...paths].map(checkMode))
  const found = findings.flat()
  return found.length > 0 ? found : [ok('files', 'files', 'no secret can be read by other users')]
}

async function checkMode(path: string): Promise<readonly Finding[]> {
  const found = await stat(path).catch(() => undefined)
  if (found === undefined || !found.isFile() || (found.mode & 0o004) === 0) return []
  const mode = `0${(found.mode & 0o777).toString(8)}`
  return [warn('file_readable', 'files', `every user of this machine can read ${path} (${mode})`, `chmod 600 ${path}`)]
}

/** Whether a file has keys, secrets or tokens in it; those from the environment or from files of their own stand elsewhere. */
async function holdsSecrets(file: string, { admin, projects = [] }: Config): Promise<boolean> {
  const text = await readFile(file, 'utf8').catch(() => '')
  const keys = projects.flatMap((project) => project.keys)
  const secrets = keys.flatMap((entry) => [
    ...('key' in entry ? [entry.key] : []),
    ...('secret' in entry && typeof entry.secret === 'string' ? [entry.secret] : []),
  ])
  return [...secrets, ...(admin?.token === undefined ? [] : [admin.token])].some((secret) => text.includes(secret))
}
