import { evm } from './evm.ts'
import type { NetworkKind } from './network-kind.ts'
import { rollup } from './rollup.ts'

export const networkKinds: Readonly<Record<'evm' | 'rollup', NetworkKind>> = { evm, rollup }
