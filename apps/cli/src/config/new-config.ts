import type { Config } from '@wayleave/gateway'
import { printYaml } from './print-yaml.ts'

/** The forms of a configuration file. */
export type ConfigFormat = 'yaml' | 'ts' | 'json'

const comments: Readonly<Partial<Record<keyof Config, string>>> = {
  listen:
    'Ports beside those of a node on this machine. 0.0.0.0 in place of 127.0.0.1 lets other machines in: put TLS before it.',
  dataDir: 'State that outlasts a restart: keys of `wayleave keys`, usage, fee history.',
  networks:
    'Nodes of one chain stand in for each other. ${NAME} is an environment variable, ${file:PATH} the text of a file.',
  projects:
    'Callers. keyHash is the SHA-256 of a key (`wayleave keys hash`), which stands in the URL: /v3/<key>, or in X-Api-Key.',
}

const about = 'Wayleave: `wayleave config check` checks this file, and `wayleave serve` serves it.'

/** Prints a new configuration; `isExplained`: with a comment for each part. `schema`: the address of its JSON Schema. */
export function printConfig(config: Config, format: ConfigFormat, schema: string, isExplained: boolean): string {
  if (format === 'json') return `${JSON.stringify({ $schema: schema, ...config }, undefined, 2)}\n`
  const parts = Object.entries(config).map(([name, value]) => ({ name: name as keyof Config, value: value as unknown }))
  if (format === 'yaml') {
    const body = parts.map(
      ({ name, value }) => `\n${isExplained ? noteOf(name, '# ') : ''}${printYaml({ [name]: value })}`,
    )
    return `# yaml-language-server: $schema=${schema}\n# ${about}\n${body.join('')}`
  }
  const body = parts.map(
    ({ name, value }) => `${isExplained ? noteOf(name, '  // ') : ''}  ${name}: ${literal(value, '  ')},\n`,
  )
  return `// ${about}\nimport type { Config } from '@wayleave/gateway'\n\nexport default {\n${body.join('\n')}} satisfies Config\n`
}

function noteOf(name: keyof Config, mark: string): string {
  const comment = comments[name]
  return comment === undefined ? '' : `${mark}${comment}\n`
}

/** Prints plain data as TypeScript. */
function literal(value: unknown, indent: string): string {
  if (typeof value === 'string') return `'${value.replaceAll(/[\\']/g, '\\$&')}'`
  if (typeof value !== 'object' || value === null) return JSON.stringify(value)
  const inner = `${indent}  `
  if (Array.isArray(value)) return `[\n${value.map((item) => `${inner}${literal(item, inner)},\n`).join('')}${indent}]`
  const members = Object.entries(value).map(([name, member]) => {
    const key = /^[A-Za-z_$][\w$]*$/.test(name) ? name : `'${name}'`
    return `${inner}${key}: ${literal(member, inner)},\n`
  })
  return `{\n${members.join('')}${indent}}`
}
