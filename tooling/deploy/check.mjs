// Tries what is in deploy/, and the workflows of GitHub, with the programs of their formats: `node tooling/deploy/check.mjs [--image] [--no-build]`. Each step prints a line; one whose
// programs are missing is skipped by name. helm, kubeconform and actionlint are built with Go where they are not there, into a folder that is kept; the
// schemas of Kubernetes and compose come as Go modules. `--image` runs the steps of the Dockerfile in a bare root, which takes minutes; `--no-build`
// builds and fetches nothing, and takes what is there. Prometheus and its rules are started by the gateway's tests.
import { existsSync, globSync } from 'node:fs'
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { delimiter, dirname, join, matchesGlob, relative, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { execute } from '../check/run-tool.mjs'
import { tryImage } from './image.mjs'

const root = dirname(dirname(dirname(fileURLToPath(import.meta.url))))
process.chdir(root)
const tools = join(tmpdir(), 'wayleave-deploy-tools')
process.env.PATH = [join(root, 'node_modules/.bin'), process.env.PATH, tools].join(delimiter)
// They are packages of the gateway.
const ofGateway = createRequire(join(root, 'packages/gateway/package.json'))
const { parse, parseAllDocuments } = ofGateway('yaml')
const { Ajv } = ofGateway('ajv')

const buildsNothing = process.argv.includes('--no-build')
const kubernetes = '1.32.2'
const chart = 'deploy/helm/wayleave'
/** Values that together render all that the chart has. */
const valueSets = {
  least: { existingSecret: 'wayleave' },
  most: {
    existingSecret: 'wayleave',
    tlsSecret: 'wayleave-tls',
    imagePullSecrets: [{ name: 'registry' }],
    config: {
      redis: 'redis://redis:6379',
      store: { postgres: 'postgres://wayleave:${file:/secrets/postgres}@postgres/wayleave' },
      ipfs: { backend: 'kubo', url: 'http://kubo:5001' },
      admin: { token: '${file:/secrets/admin-token}' },
    },
    autoscaling: { enabled: true },
    serviceMonitor: { enabled: true, tokenKey: 'metrics-token', labels: { release: 'prometheus' } },
    networkPolicy: { callers: [{ namespaceSelector: {} }], operators: [{ namespaceSelector: {} }] },
    workers: 'auto',
    resources: { limits: { cpu: '2', memory: '1Gi' } },
    podLabels: { team: 'nodes' },
    podAnnotations: { note: 'a note' },
    tolerations: [{ key: 'nodes', operator: 'Exists' }],
    nodeSelector: { 'kubernetes.io/arch': 'arm64' },
    priorityClassName: 'high',
    extraEnv: [{ name: 'REGION', value: 'here' }],
  },
}

class Skip extends Error {}

/** Runs a program; resolves with its output. @throws Error with it, if it fails */
async function run(command, ...args) {
  const { code, output } = await execute(command, args)
  if (code !== 0) throw new Error(output.trim() || `${command} ended with ${code}`)
  return output
}

const has = async (command, ...args) => (await execute(command, args)).code === 0

async function build(command, module) {
  if (await has(command, command === 'helm' ? 'version' : command === 'actionlint' ? '-version' : '-v')) return
  if (buildsNothing) throw new Skip(`${command} is not there, and --no-build builds none`)
  if (!(await has('go', 'version'))) throw new Skip(`neither ${command} nor Go is there`)
  await mkdir(tools, { recursive: true })
  const { code, output } = await execute('env', [`GOBIN=${tools}`, 'nice', 'go', 'install', module])
  if (code !== 0) throw new Skip(`${command} could not be built: ${output.trim().split('\n').at(-1)}`)
}

/** Resolves with the folder of a Go module. */
async function goModule(module) {
  if (!(await has('go', 'version'))) throw new Skip('Go is not there')
  if (buildsNothing && !(await has('env', 'GOPROXY=off', 'go', 'mod', 'download', module)))
    throw new Skip(`${module} is not there, and --no-build fetches none`)
  const { code, output } = await execute('go', ['mod', 'download', '-json', module])
  if (code !== 0) throw new Skip(`${module} could not be had`)
  return JSON.parse(output).Dir
}

/** Each file of `deploy/`, by what tries it. */
const triedBy = {
  'prometheus/**': 'a Prometheus and promtool, in packages/gateway/test/reference/dashboards.test.ts',
  'grafana/**': 'nothing but the tests of its metrics and mounts',
  'helm/**': 'the steps of the chart',
  'compose/**': 'the steps of compose, and packages/gateway/test/deploy.test.ts',
  'systemd/*.{service,socket}': 'the step of the unit',
  'docker/Dockerfile': 'the steps of the image',
  'README.md': 'readers',
}

async function files() {
  const all = globSync('deploy/**', { withFileTypes: true }).filter((entry) => entry.isFile())
  const found = new Set(all.map((entry) => relative(root, resolve(entry.parentPath, entry.name))))
  if (found.size === 0) throw new Error('no file is in deploy/')
  const count = found.size
  for (const pattern of Object.keys(triedBy)) {
    const matched = [...found].filter((path) => matchesGlob(path, `deploy/${pattern}`))
    if (matched.length === 0) throw new Error(`deploy/${pattern} has no file`)
    for (const path of matched) found.delete(path)
  }
  if (found.size > 0) throw new Error(`tried by no step: ${[...found].join(', ')}`)
  return `${count}, each with what tries it`
}

async function grafana() {
  throw new Skip('no Grafana is there: its provisioning was not started')
}

const folder = await mkdtemp(join(tmpdir(), 'wayleave-deploy-'))

async function render(name) {
  await build('helm', 'helm.sh/helm/v3/cmd/helm@v3.17.4')
  const values = join(folder, `${name}.json`)
  await writeFile(values, JSON.stringify(valueSets[name]))
  const flags = ['--kube-version', kubernetes, '--values', values]
  return { flags, manifests: await run('helm', 'template', 'try', chart, '--namespace', 'nodes', ...flags) }
}

async function lint() {
  for (const name of Object.keys(valueSets)) {
    const { flags } = await render(name)
    await run('helm', 'lint', '--strict', chart, ...flags)
  }
}

async function refusals() {
  for (const [setting, words] of [
    ['shutdown.terminationGrace=29', 'expected more than preStop, drain, finish'],
    ['replicas=2', 'replicas'],
    ['workers=auto', 'expected resources.limits.cpu'],
    ['workers=65', 'workers'],
    ['config.log.level=loud', 'level'],
    ['config.tracing.sample=1', 'endpoint'],
    ['config.listen.rpc=a', 'config'],
    ['config.ipfs.backend=local', 'kubo'],
    ['config.admin.token=null', 'admin'],
    ['serviceMonitor.enabled=true', 'metrics need a token'],
  ]) {
    await render('least')
    const { code, output } = await execute('helm', ['template', chart, '--kube-version', kubernetes, '--set', setting])
    if (code === 0 || !output.includes(words)) throw new Error(`${setting} was not refused: ${output}`)
  }
}

/** Writes the schemas of Kubernetes' kinds as kubeconform reads them, strictly: no member that the kind does not have. */
async function kindSchemas() {
  const module = await goModule(`k8s.io/kubernetes@v${kubernetes}`)
  const { definitions } = JSON.parse(await readFile(join(module, 'api/openapi-spec/swagger.json'), 'utf8'))
  for (const definition of Object.values(definitions)) {
    if (definition.properties !== undefined) definition.additionalProperties ??= false
    if (definition.format === 'int-or-string')
      Object.assign(definition, { type: ['integer', 'string'], format: undefined })
  }
  const to = join(folder, 'kinds')
  await mkdir(to)
  for (const [name, definition] of Object.entries(definitions)) {
    for (const { kind, group, version } of definition['x-kubernetes-group-version-kind'] ?? []) {
      const of = [kind, ...(group === '' ? [] : [group.split('.')[0]]), version].join('-').toLowerCase()
      // A kind as such, not the many that it may stand in.
      if (definition['x-kubernetes-group-version-kind'].length > 1) continue
      await writeFile(join(to, `${of}.json`), JSON.stringify({ $ref: `#/definitions/${name}`, definitions }))
    }
  }
  return join(to, '{{ .ResourceKind }}{{ .KindSuffix }}.json')
}

async function kinds() {
  await build('kubeconform', 'github.com/yannh/kubeconform/cmd/kubeconform@v0.6.7')
  const location = await kindSchemas()
  let summary = ''
  for (const name of Object.keys(valueSets)) {
    const file = join(folder, `${name}.yaml`)
    await writeFile(file, (await render(name)).manifests)
    // Named as skipped by a step of its own.
    const flags = ['-strict', '-summary', '-skip', 'ServiceMonitor', '-schema-location', location]
    summary += await run('kubeconform', ...flags, file)
  }
  return summary
    .trim()
    .split('\n')
    .map((line) => line.replace(/^Summary: \d+ resources found in 1 file - /, ''))
    .join('; ')
}

async function serviceMonitor() {
  throw new Skip('a kind of the Prometheus operator, whose schema is not here: it is rendered, and not checked')
}

/** Has the gateway check the configuration of each rendered chart. */
async function configurations() {
  const secrets = { 'upstream-url': 'https://node.example', postgres: 'p', 'admin-token': 'a'.repeat(32) }
  for (const name of Object.keys(valueSets)) {
    const documents = parseAllDocuments((await render(name)).manifests).map((document) => document.toJS())
    const { data } = documents.find(({ kind }) => kind === 'ConfigMap')
    const at = join(folder, `config-${name}`)
    await mkdir(at)
    for (const [secret, value] of Object.entries(secrets)) await writeFile(join(at, secret), value)
    const text = data['wayleave.config.yaml'].replaceAll('/secrets/', `${at}/`).replaceAll('/data', at)
    // Certificates are read with the configuration.
    await run(
      'openssl',
      'req',
      '-x509',
      '-newkey',
      'ec',
      '-pkeyopt',
      'ec_paramgen_curve:P-256',
      '-nodes',
      '-days',
      '2',
      '-subj',
      '/CN=localhost',
      '-keyout',
      join(at, 'tls.key'),
      '-out',
      join(at, 'tls.crt'),
    )
    await writeFile(join(at, 'wayleave.config.yaml'), text.replaceAll('/tls/', `${at}/`))
    await run(
      'node',
      '--conditions=@wayleave/source',
      'apps/cli/src/main.ts',
      'config',
      'check',
      join(at, 'wayleave.config.yaml'),
    )
  }
}

async function compose() {
  const module = await goModule('github.com/compose-spec/compose-go/v2@v2.9.0')
  const schema = JSON.parse(await readFile(join(module, 'schema/compose-spec.json'), 'utf8'))
  delete schema.$schema
  const validate = new Ajv({ strict: false, allErrors: true, validateFormats: false }).compile(schema)
  const value = parse(await readFile('deploy/compose/compose.yaml', 'utf8'), { merge: true })
  if (!validate(value)) throw new Error(JSON.stringify(validate.errors, undefined, 2))
}

/** Has Docker's own compose read the file, where there is one; it needs no engine. */
async function composeConfig() {
  if (!(await has('docker', 'compose', 'version'))) throw new Skip('docker compose is not there')
  await run('docker', 'compose', '--file', 'deploy/compose/compose.yaml', 'config', '--quiet')
}

async function unit() {
  if (!(await has('systemd-analyze', '--version'))) throw new Skip('systemd-analyze is not there')
  const file = 'deploy/systemd/wayleave.service'
  const said = await run('systemd-analyze', 'verify', file, 'deploy/systemd/wayleave.socket')
  if (said.trim() !== '') throw new Error(said)
  const exposure = await run('systemd-analyze', 'security', '--offline=true', '--threshold=25', file)
  return exposure.trim().split('\n').at(-1).replace(/^\W+/, '')
}

/** Checks what GitHub runs: expressions, inputs of its actions, and shell lines where shellcheck is there. */
async function workflows() {
  await build('actionlint', 'github.com/rhysd/actionlint/cmd/actionlint@v1.7.7')
  await run('actionlint', '-no-color')
}

async function engine() {
  if (buildsNothing) throw new Skip('--no-build builds no image')
  if (!(await has('docker', 'version')))
    throw new Skip('no Docker engine: no image was built, and compose.yaml was not started')
  await run('docker', 'build', '--file', 'deploy/docker/Dockerfile', '--tag', 'wayleave:check', '.')
}

const steps = [
  ['files', files],
  ['chart: lint', lint],
  ['chart: refusals', refusals],
  ['chart: kinds', kinds],
  ['chart: ServiceMonitor', serviceMonitor],
  ['chart: configuration', configurations],
  ['compose: schema', compose],
  ['compose: config', composeConfig],
  ['grafana: start', grafana],
  ['unit: verify', unit],
  ['workflows: actionlint', workflows],
  ['image: build', engine],
  ...(process.argv.includes('--image') ? [['image: bare root', () => tryImage(root, folder, run)]] : []),
]
let failed = 0
let skipped = 0
for (const [name, step] of steps) {
  try {
    const said = await step()
    console.log(`ok    ${name.padEnd(22)} ${said ?? ''}`.trimEnd())
  } catch (thrown) {
    if (thrown instanceof Skip) skipped++
    else failed++
    console.log(`${thrown instanceof Skip ? 'skip ' : 'FAIL '} ${name.padEnd(22)} ${thrown.message}`)
  }
}
if (!process.argv.includes('--image')) console.log('skip  image: bare root       asked for with --image')
if (existsSync(folder)) await rm(folder, { recursive: true, force: true })
console.log(`${steps.length - failed - skipped} passed, ${skipped} skipped, ${failed} failed`)
process.exitCode = failed === 0 ? 0 : 1
