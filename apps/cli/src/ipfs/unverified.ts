import type { Verification, VerifyMode } from '@wayleave/ipfs-http'
import type { CommandIo } from '../command.ts'

/** Notes on stderr if a check was asked for and the content could not be checked. */
export function tellUnverified(io: CommandIo, verification: Verification, asked: VerifyMode): void {
  if (verification !== 'unverified' || asked === 'off') return
  io.stderr('unverified: the host gave nothing to check this content by; --verify proven refuses that\n')
}
