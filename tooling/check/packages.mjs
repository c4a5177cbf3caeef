import { existsSync, mkdtempSync, readFileSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { execute, runTool } from './run-tool.mjs'

const readJson = (file) => JSON.parse(readFileSync(file, 'utf8'))

/** The folders of the packages that are published. */
function published() {
  return ['packages', 'apps']
    .flatMap((parent) => readdirSync(parent).map((name) => `${parent}/${name}`))
    .filter((folder) => existsSync(`${folder}/package.json`) && readJson(`${folder}/package.json`).private !== true)
}

/** What no other tool checks in a manifest: the layer tag, exact versions, and types that a cold start needs. */
export async function manifests() {
  const problems = []
  const root = readJson('package.json')
  for (const folder of published()) {
    const manifest = readJson(`${folder}/package.json`)
    const { tags = [] } = existsSync(`${folder}/turbo.json`) ? readJson(`${folder}/turbo.json`) : {}
    if (tags.length !== 1 || !/^l[0-5]$/.test(tags[0]))
      problems.push(`${folder}/turbo.json: one tag of l0 to l5, the layer`)
    if (manifest.peerDependencies) problems.push(`${folder}: peerDependencies: use dependencies`)
    const all = { ...manifest.dependencies, ...manifest.devDependencies, ...manifest.optionalDependencies }
    for (const [name, range] of Object.entries(all)) {
      const isOurs = name.startsWith('@wayleave/')
      if (isOurs ? range !== 'workspace:^' : !/^\d/.test(range))
        problems.push(`${folder}: ${name} is "${range}": ${isOurs ? 'use "workspace:^"' : 'name one exact version'}`)
      if (name.startsWith('@types/') && root.dependencies[name] !== range)
        problems.push(
          `${folder}: ${name} ${range}: the root's dependencies need it too, as \`npm start\` installs only those`,
        )
    }
  }
  return problems
}

/** Packs each published package once, and checks the tarball as a consumer would find it. */
export async function tarballs() {
  const target = mkdtempSync(join(tmpdir(), 'wayleave-pack-'))
  try {
    const folders = published()
    const packed = await runTool('pnpm', [
      '-r',
      ...folders.flatMap((folder) => ['--filter', `./${folder}`]),
      'pack',
      '--pack-destination',
      target,
    ])
    if (packed.length > 0) return packed
    const files = readdirSync(target).toSorted()
    if (files.length !== folders.length)
      return [`packed ${files.length} of ${folders.length} packages: ${files.join(' ')}`]
    const problems = []
    const next = files[Symbol.iterator]()
    const worker = async () => {
      for (const file of next)
        problems.push(...(await checkTarball(join(target, file))).map((line) => `${file}: ${line}`))
    }
    await Promise.all([worker(), worker()])
    return problems
  } finally {
    rmSync(target, { recursive: true })
  }
}

async function checkTarball(file) {
  const problems = []
  const names = (await execute('tar', ['-tzf', file])).output.split('\n').filter((name) => name !== '')
  const manifest = (await execute('tar', ['-xzOf', file, 'package/package.json'])).output
  for (const name of ['package/README.md', 'package/LICENSE'])
    if (!names.includes(name)) problems.push(`has no ${name.slice('package/'.length)}`)
  if (!names.some((name) => name.startsWith('package/dist/') && name.endsWith('.js')))
    problems.push('has no dist: build first')
  for (const name of names)
    if (/\/tests?\/|\.test\.|\.spec\.|tsbuildinfo$|\/\.env/.test(name)) problems.push(`holds ${name}`)
  if (/"(?:workspace|link|file|catalog):/.test(manifest))
    problems.push('package.json names a version that only this workspace knows')
  problems.push(...(await runTool('publint', ['run', file, '--strict'])))
  problems.push(
    ...(await runTool('attw', [file, '--profile', 'esm-only', '--format', 'ascii', '--no-color', '--no-emoji'])),
  )
  return problems
}
