import { listFiles } from './list-files.mjs'
import { existsSync, mkdtempSync, readFileSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { isDeepStrictEqual } from 'node:util'
import { execute, runTool } from './run-tool.mjs'

const readJson = (file) => JSON.parse(readFileSync(file, 'utf8'))

/** The folders of the packages that are published. */
export function published() {
  return ['packages', 'apps']
    .flatMap((parent) => readdirSync(parent).map((name) => `${parent}/${name}`))
    .filter((folder) => existsSync(`${folder}/package.json`) && readJson(`${folder}/package.json`).private !== true)
}

/** The members of a manifest by which people find a package, and that a release needs. */
function releaseFields(folder) {
  const url = 'https://github.com/wayleave/wayleave'
  const script = '../../tooling/release'
  return {
    license: 'MIT',
    homepage: `${url}/tree/main/${folder}#readme`,
    bugs: { url: `${url}/issues` },
    repository: { type: 'git', url: `git+${url}.git`, directory: folder },
    publishConfig: { access: 'public', provenance: true },
    'scripts.prepack': `node ${script}/pack-manifest.mjs`,
    'scripts.postpack': `node ${script}/pack-manifest.mjs --restore`,
    'scripts.prepublishOnly': `node ${script}/pnpm-only.mjs`,
  }
}

/** What a release needs of a manifest, and its licence beside it. */
function releaseProblems(folder, manifest) {
  const problems = []
  for (const [path, expected] of Object.entries(releaseFields(folder))) {
    const value = path.split('.').reduce((part, name) => part?.[name], manifest)
    if (!isDeepStrictEqual(value, expected)) problems.push(`${folder}: ${path}: expected ${JSON.stringify(expected)}`)
  }
  if (!(manifest.keywords?.length >= 3)) problems.push(`${folder}: keywords: expected three or more`)
  if (!/^>=(?:20\.19|24)$/.test(manifest.engines?.node))
    problems.push(`${folder}: engines.node: expected >=20.19 or >=24`)
  for (const name of ['dist', '!dist/.tsbuildinfo', 'CHANGELOG.md'])
    if (!manifest.files?.includes(name)) problems.push(`${folder}: files: expected "${name}" among them`)
  const license = `${folder}/LICENSE`
  if (!existsSync(license) || readFileSync(license, 'utf8') !== readFileSync('LICENSE', 'utf8'))
    problems.push(`${license}: expected a copy of the root's, as npm packs no file from outside`)
  return problems
}

/** Finds packages whose values the sources import, and which an installation would not bring along. */
async function undeclaredImports(folder, { name: own, dependencies = {}, optionalDependencies = {} }) {
  const imported = /^(?:import|export)\s(?!type\s)[^'"]*?\sfrom '((?:@[\w-]+\/)?\w[\w.-]*)[^']*'/gm
  const sources = (await listFiles()).filter((file) => file.startsWith(`${folder}/src/`) && /\.tsx?$/.test(file))
  return sources.flatMap((file) =>
    [...readFileSync(file, 'utf8').matchAll(imported)]
      .map(([, name]) => name)
      .filter((name) => name !== 'node' && name !== own && !(name in dependencies) && !(name in optionalDependencies))
      .map((name) => `${file}: imports ${name}: name it among the dependencies of ${own}`),
  )
}

/** What no other tool checks in a manifest: the layer tag, exact versions, types that a cold start needs, and what a release needs. */
export async function manifests() {
  const problems = []
  const root = readJson('package.json')
  for (const folder of published()) {
    const manifest = readJson(`${folder}/package.json`)
    const { tags = [] } = existsSync(`${folder}/turbo.json`) ? readJson(`${folder}/turbo.json`) : {}
    if (tags.length !== 1 || !/^l[0-6]$/.test(tags[0]))
      problems.push(`${folder}/turbo.json: one tag of l0 to l6, the layer`)
    problems.push(...releaseProblems(folder, manifest))
    problems.push(...(await undeclaredImports(folder, manifest)))
    if (manifest.peerDependencies) problems.push(`${folder}: peerDependencies: use dependencies`)
    const all = { ...manifest.dependencies, ...manifest.devDependencies, ...manifest.optionalDependencies }
    for (const [name, range] of Object.entries(all)) {
      const isOurs = name.startsWith('@wayleave/')
      if (isOurs ? range !== 'workspace:^' : !/^\d/.test(range))
        problems.push(`${folder}: ${name} is "${range}": ${isOurs ? 'use "workspace:^"' : 'name one exact version'}`)
      // The page of the console is built with it where only the root's dependencies are installed.
      if (name === 'esbuild' && root.dependencies[name] !== range)
        problems.push(`${folder}: ${name} ${range}: the root's dependencies need it too, for \`npm start\``)
    }
  }
  return problems
}

/** Packs each published package by pnpm, and checks the tarball as a consumer would find it; and by npm, which must make the same one. */
export async function tarballs() {
  const target = mkdtempSync(join(tmpdir(), 'wayleave-pack-'))
  const byNpm = mkdtempSync(join(tmpdir(), 'wayleave-pack-npm-'))
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
    const nextFolder = folders[Symbol.iterator]()
    const nextFile = files[Symbol.iterator]()
    const worker = async () => {
      for (const folder of nextFolder)
        problems.push(...(await runTool('npm', ['pack', `./${folder}`, '--silent', '--pack-destination', byNpm])))
      for (const file of nextFile) {
        const lines = [
          ...(await checkTarball(join(target, file))),
          ...(await compare(join(target, file), join(byNpm, file))),
        ]
        problems.push(...lines.map((line) => `${file}: ${line}`))
      }
    }
    await Promise.all([worker(), worker()])
    return problems
  } finally {
    rmSync(target, { recursive: true })
    rmSync(byNpm, { recursive: true })
  }
}

/** Compares the tarballs of pnpm and npm: their files, and what their manifests ask for. */
async function compare(file, fileOfNpm) {
  if (!existsSync(fileOfNpm)) return ['npm packs none']
  const read = async (tarball) => {
    const names = (await execute('tar', ['-tzf', tarball])).output.split('\n').toSorted()
    const { dependencies, engines, exports } = JSON.parse(
      (await execute('tar', ['-xzOf', tarball, 'package/package.json'])).output,
    )
    return { names, manifest: { dependencies, engines, exports } }
  }
  const [ours, theirs] = [await read(file), await read(fileOfNpm)]
  const differing = ['names', 'manifest'].filter((part) => !isDeepStrictEqual(ours[part], theirs[part]))
  return differing.map((part) => `npm packs other ${part === 'names' ? 'files' : 'dependencies'} than pnpm`)
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
    if (/\/tests?\/|\.test\.|\.spec\.|tsbuildinfo$|\/\.env|\/src\/|\.map$/.test(name)) problems.push(`holds ${name}`)
  if (/"(?:workspace|link|file|catalog):/.test(manifest))
    problems.push('package.json names a version that only this workspace knows')
  if (manifest.includes('@wayleave/source')) problems.push('package.json names sources, which are not packed')
  problems.push(...(await runTool('publint', ['run', file, '--strict'])))
  problems.push(
    ...(await runTool('attw', [file, '--profile', 'esm-only', '--format', 'ascii', '--no-color', '--no-emoji'])),
  )
  return problems
}
