import { accessSync, constants } from 'node:fs'
import { expect, test } from 'vitest'
import { findAnvil } from '../src/anvil-binary.ts'

test('the binary of this machine is found and may be executed', () => {
  expect(() => accessSync(findAnvil(), constants.X_OK)).not.toThrow()
})

test('a platform without a build is named, beside those that have one', () => {
  expect(() => findAnvil('sunos', 'x64')).toThrow(
    expect.objectContaining({
      code: 'unsupported_platform',
      message: expect.stringMatching(/sunos-x64.*linux-x64.*win32-x64/),
    }),
  )
})

test('a build that is not installed is named, with what to do', () => {
  // The package manager installs the build of this machine only.
  const other = process.platform === 'win32' ? 'linux' : 'win32'
  expect(() => findAnvil(other, 'x64')).toThrow(
    expect.objectContaining({ code: 'binary_missing', message: expect.stringContaining('optional dependencies') }),
  )
})
