// `node tooling/check/release-notes.mjs @wayleave/auth@0.1.0` prints the lines of the changelog of one version.
import { readFileSync } from 'node:fs'
import { published } from './packages.mjs'

const tag = process.argv[2] ?? ''
const [, name, version] = /^(@wayleave\/[\w-]+)@(\d\S*)$/.exec(tag) ?? []
const folder = published().find((each) => JSON.parse(readFileSync(`${each}/package.json`, 'utf8')).name === name)
if (folder === undefined) throw new Error(`expected a tag such as @wayleave/auth@0.1.0, got "${tag}"`)
const sections = readFileSync(`${folder}/CHANGELOG.md`, 'utf8').split(/^## /m)
const section = sections.find((each) => each.startsWith(`${version}\n`))
if (section === undefined) throw new Error(`${folder}/CHANGELOG.md: expected ${version}`)
console.log(section.slice(version.length).trim())
