import { execFileSync } from 'node:child_process'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { languages, type Sample } from '../../src/page/pages/try/code.ts'

const params = ["it's", { a: [1, 'x"y\\z\n'] }]
const sample: Sample = {
  url: 'http://127.0.0.1:8545/mainnet/v3/my-key',
  method: 'eth_getBalance',
  params: JSON.stringify(params),
}
const print = (name: string, of: Sample): string => languages.find((each) => each.name === name)!.print(of)

describe('the code of a call', () => {
  it('is a command that a shell takes apart as it was meant', () => {
    // Stands for curl: prints its arguments.
    const script = `curl() { for each in "$@"; do printf '%s\\0' "$each"; done; }\n${print('curl', sample)}`
    const [url, , , , body] = execFileSync('sh', ['-c', script], { encoding: 'utf8' }).split('\0')
    expect(url).toBe(sample.url)
    expect(JSON.parse(body!)).toEqual({ jsonrpc: '2.0', id: 1, method: sample.method, params })
  })

  it('leaves no text of a param to the shell', () => {
    fc.assert(
      fc.property(fc.string(), (param) => {
        fc.pre(!param.includes('\0'))
        const command = print('curl', { ...sample, params: JSON.stringify([param]) })
        const body = execFileSync('sh', ['-c', `curl() { eval "printf '%s' \\"\\\${$#}\\""; }\n${command}`], {
          encoding: 'utf8',
        })
        expect((JSON.parse(body) as { params: string[] }).params).toEqual([param])
      }),
      { numRuns: 20 },
    )
  })

  it.each(['client', 'viem', 'ethers'])('is JavaScript for %s', (name) => {
    const code = print(name, sample).replaceAll(/^import .*$/gm, '')
    expect(() => new Function(`async () => { ${code.replace('await using', 'const')} }`)).not.toThrow()
    expect(code).toContain('eth_getBalance')
  })

  it.each(languages)('has the params as they were written, in $name', ({ print: printed }) => {
    const code = printed({ ...sample, params: '[\n  9007199254740993, 1e400, "[ a ]"\n]' })
    expect(code.replaceAll(/\s/g, '')).toContain('[9007199254740993,1e400,"[a]"]')
    expect(code).toContain('"[ a ]"')
  })

  it('is Python that sends the same', () => {
    const code = print('python', sample).replace(/^print\(.*$/m, 'print(json.dumps(body))')
    const sent = execFileSync('python3', ['-c', code], { encoding: 'utf8' })
    expect(JSON.parse(sent)).toEqual({ jsonrpc: '2.0', id: 1, method: sample.method, params })
  })
})
