import type { Verification, VerifyMode } from '@wayleave/ipfs-http'
import type { CommandIo } from '../command.ts'

/** Says so where a check was asked for and content has come that nothing could be told of. */
export function tellUnverified(io: CommandIo, verification: Verification, asked: VerifyMode): void {
  if (verification !== 'unverified' || asked === 'off') return
  io.stderr('unverified: the host gave nothing to check this content by; --verify proven refuses that\n')
}
