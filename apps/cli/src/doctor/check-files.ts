import { readFileSync } from 'node:fs'
import { readdir, readFile, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { X509Certificate } from 'node:crypto'
import { type Config, storePlace } from '@wayleave/gateway'
import { systemClock } from '@wayleave/jsonrpc-core'
import { type Check, fail, type Finding, ok, warn } from './finding.ts'

const day = 86_400_000
/** A certificate that ends sooner is told, in days. */
const certificateDays = 14
/** Others may read them: nothing in them is a secret. */
const publicFiles = new Set(['chains.json', 'ipfs', 'cache'])

/** Creates the checks of files: the certificate of the listeners, and who can read secrets. `file`: the configuration, if there is one. */
export function checkFiles(config: Config, file: string | undefined): readonly Check[] {
  const { tls } = config.listen ?? {}
  return [
    ...(tls === undefined ? [] : [checkCertificate(tls.cert, config.bareHosts ?? [])]),
    { subject: 'files', run: () => checkModes(config, file) },
  ]
}

function checkCertificate(pathOrText: string, hosts: readonly string[]): Check {
  const subject = 'listen.tls.cert'
  return {
    subject,
    async run() {
      const pem = pathOrText.includes('-----BEGIN ') ? pathOrText : readFileSync(pathOrText, 'utf8')
      const certificate = new X509Certificate(pem)
      const left = Math.floor((certificate.validToDate.getTime() - systemClock.date()) / day)
      const findings: Finding[] = []
      const renew =
        'renew it (certbot renew, or as your authority says): the gateway takes the new files without a restart'
      if (left < 0) findings.push(fail('certificate_ended', subject, `it ended ${-left} days ago`, renew))
      else if (left < certificateDays)
        findings.push(warn('certificate_ends', subject, `it ends in ${left} days`, renew))
      if (certificate.validFromDate.getTime() > systemClock.date()) {
        const remedy = 'set the clock of this machine by NTP, or wait until then'
        findings.push(fail('certificate_early', subject, 'it is not valid yet', remedy))
      }
      const missing = hosts.filter((host) => certificate.checkHost(host) === undefined)
      if (missing.length > 0) {
        const remedy = 'get a certificate with these names, and *.NAME for networks as the first label'
        findings.push(warn('certificate_names', subject, `it does not name ${missing.join(', ')} (bareHosts)`, remedy))
      }
      return findings.length > 0 ? findings : [ok('certificate', subject, `ends in ${left} days`)]
    },
  }
}

async function checkModes(config: Config, file: string | undefined): Promise<readonly Finding[]> {
  const { dataDir, listen } = config
  const place = storePlace(config)
  const key = listen?.tls?.key
  const database = place !== 'memory' && 'sqlite' in place && place.sqlite !== ':memory:' ? [place.sqlite] : []
  const inFolder =
    dataDir === undefined ? [] : (await readdir(dataDir).catch(() => [])).filter((name) => !publicFiles.has(name))
  const paths = new Set([
    ...inFolder.map((name) => join(dataDir!, name)),
    ...database,
    ...(key === undefined || key.includes('-----BEGIN ') ? [] : [key]),
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
