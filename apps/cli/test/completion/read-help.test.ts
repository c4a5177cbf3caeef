import { describe, expect, it } from 'vitest'
import { readHelp } from '../../src/completion/read-help.ts'

const text = `Usage: wayleave pin add CID... [--name NAME]   keeps it
       wayleave pin ls [CID...]

  tx HASH             a transaction
  rm|mv CID           is no word by itself
  plans:

  -o, --output PATH   where to
  -q, --quiet         says less
  -w, --wrap-with-directory
                      puts all into one
  --pin=false         pins nothing
  --key K, --label L  two in a row
  --[no-]require-jwt  either way
  CONTRACT_ADDRESS    --contract-address: a felt

Example:
  wayleave pin add Qm --name it
`

describe('the rows of a help text', () => {
  it('are words, also those behind the path in lines of usage', () => {
    expect(readHelp(text, ['pin']).words).toEqual([
      { name: 'add', summary: 'keeps it' },
      { name: 'ls', summary: '' },
      { name: 'tx', summary: 'a transaction' },
    ])
    expect(readHelp(text, ['other']).words.map(({ name }) => name)).toEqual(['tx'])
  })

  it('are flags, with the names of their values', () => {
    expect(readHelp(text, ['pin']).flags.map(({ name, value, summary }) => [name, value, summary])).toEqual([
      ['-o', 'PATH', 'where to'],
      ['--output', 'PATH', 'where to'],
      ['-q', undefined, 'says less'],
      ['--quiet', undefined, 'says less'],
      ['-w', undefined, 'puts all into one'],
      ['--wrap-with-directory', undefined, 'puts all into one'],
      ['--pin=false', undefined, 'pins nothing'],
      ['--key', 'K', 'two in a row'],
      ['--label', 'L', 'two in a row'],
      ['--require-jwt', undefined, 'either way'],
      ['--no-require-jwt', undefined, 'either way'],
      ['--contract-address', 'CONTRACT_ADDRESS', 'a felt'],
    ])
  })
})
