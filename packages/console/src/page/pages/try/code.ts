import { pretty } from './pretty.ts'

/** A call to print as code. */
export interface Sample {
  readonly url: string
  readonly method: string
  /** As JSON. */
  readonly params: string
}

export interface Language {
  readonly name: string
  readonly text: string
  readonly print: (sample: Sample) => string
}

/** The languages that code is printed in. */
export const languages: readonly Language[] = [
  {
    name: 'curl',
    text: 'curl',
    print: ({ url, method, params }) => {
      const body = bodyOf({ method, params })
      return `curl ${quoted(url)} \\\n  -H 'content-type: application/json' \\\n  -d ${quoted(body)}`
    },
  },
  {
    name: 'client',
    text: '@wayleave/client',
    print: ({ url, method, params }) => {
      const [, base = url, key = ''] = /^(.*)\/v3\/(.*)$/.exec(url) ?? []
      return [
        "import { createClient } from '@wayleave/client'",
        '',
        `await using client = createClient({ url: ${text(base)}, apiKey: ${text(key)} })`,
        `console.log(await client.requestUnchecked(${text(method)}, ${indented(params)}))`,
      ].join('\n')
    },
  },
  {
    name: 'viem',
    text: 'viem',
    print: ({ url, method, params }) =>
      [
        "import { createPublicClient, http } from 'viem'",
        '',
        `const client = createPublicClient({ transport: http(${text(url)}) })`,
        `console.log(await client.request({ method: ${text(method)}, params: ${indented(params)} }))`,
      ].join('\n'),
  },
  {
    name: 'ethers',
    text: 'ethers',
    print: ({ url, method, params }) =>
      [
        "import { JsonRpcProvider } from 'ethers'",
        '',
        `const provider = new JsonRpcProvider(${text(url)})`,
        `console.log(await provider.send(${text(method)}, ${indented(params)}))`,
      ].join('\n'),
  },
  {
    name: 'python',
    text: 'Python',
    print: ({ url, method, params }) =>
      [
        'import json, urllib.request',
        '',
        `body = json.loads(${pythonText(bodyOf({ method, params }))})`,
        'request = urllib.request.Request(',
        `    ${text(url)},`,
        '    json.dumps(body).encode(),',
        '    {"content-type": "application/json"},',
        ')',
        'print(urllib.request.urlopen(request).read().decode())',
      ].join('\n'),
  },
]

/** Prints the body of a call, in one line: no text of JSON has a line break in it. */
export function bodyOf({ method, params }: Pick<Sample, 'method' | 'params'>): string {
  const line = params.trim().replaceAll(/\s*\n\s*/g, ' ')
  return `{"jsonrpc":"2.0","id":1,"method":${JSON.stringify(method)},"params":${line}}`
}

function indented(params: string): string {
  const lines = pretty(params)
  const line = lines
    .replaceAll(/\[\n\s*/g, '[')
    .replaceAll(/\n\s*\]/g, ']')
    .replaceAll(/\n\s*/g, ' ')
  return line.length <= 60 ? line : lines
}

function text(value: string): string {
  return `'${value.replaceAll('\\', '\\\\').replaceAll("'", "\\'").replaceAll('\n', '\\n')}'`
}

/** A raw string is safe as JSON has no triple quotes that are not escaped. */
function pythonText(value: string): string {
  return `'${value.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`
}

/** Quotes a word for a POSIX shell. */
function quoted(value: string): string {
  return `'${value.replaceAll("'", String.raw`'\''`)}'`
}
