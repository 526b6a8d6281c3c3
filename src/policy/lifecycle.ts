import type { ErrorCode } from '../lib/errors.ts'
import type { TransactionStatus } from '../schema/action.ts'

/** What can happen to a submitted action once it is stored. */
export type LifecycleEvent = 'approve' | 'reject' | 'execute' | 'fail' | 'cancel' | 'expire'

/** Where an event leads, or why it cannot happen. */
export type Transition = Readonly<{ to: TransactionStatus }> | Readonly<{ conflict: ErrorCode }>

const TO: Record<LifecycleEvent, TransactionStatus> = {
  approve: 'APPROVED',
  reject: 'REJECTED',
  execute: 'EXECUTED',
  fail: 'FAILED',
  cancel: 'CANCELLED',
  expire: 'EXPIRED',
}

/** The whole table of states (specification 3). Pure: races are decided by the database, which moves from a state once. */
export function transition(from: TransactionStatus, event: LifecycleEvent): Transition {
  const decides = event === 'approve' || event === 'reject'
  switch (from) {
    case 'PENDING':
      return decides ? { to: TO[event] } : { conflict: 'not_approved' }
    case 'APPROVED':
      return decides ? { conflict: 'conflict' } : { to: TO[event] }
    case 'EXECUTED':
      return { conflict: 'already_executed' }
    case 'CANCELLED':
      return { conflict: 'cancelled' }
    case 'REJECTED':
    case 'EXPIRED':
    case 'FAILED':
      return { conflict: 'not_approved' }
  }
}
