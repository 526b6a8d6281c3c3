import { createAttestor } from '../../src/policy/attestor.ts'

/** Signs the receipts of tests. */
export const attestor = createAttestor(`0x${'5e'.repeat(32)}`)
